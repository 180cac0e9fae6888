import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { createWriteError } from "../../../data/file-errors.ts";
import { isObject } from "../../../data/formats/validation.ts";
import { lockFile } from "../../../data/stores/file-lock.ts";
import type { Page } from "../../../src/records/record.ts";
import { printNotice } from "../../command-line/progress.ts";

/** A file with one page a line. Its last line says how the copy continues. */
interface CrawlFile {
  /** The last page of an unfinished crawl. */
  last: Page | undefined;
  write(line: string): void;
  close(): void;
}

/** Bytes at the end of a file that surely contain its last page. */
const END_BYTES = 1 << 18;

/**
 * Opens a new file, or one with an unfinished crawl. However the crawl ends, the same command resumes it.
 * @throws Error if the file contains something else or cannot be written, or if another crawl writes to it
 */
export function openCrawlFile(path: string, restart: boolean): CrawlFile {
  const lock = `${path}.lock`;
  const release = lockFile(lock, path);
  const failing = <T>(action: () => T): T => {
    try {
      return action();
    } catch (cause) {
      throw createWriteError(path, cause);
    }
  };
  const file = failing(() => openSync(path, restart ? "w+" : "a+"));
  const close = () => {
    process.off("exit", remind);
    closeSync(file);
    rmSync(lock, { force: true });
    release();
  };
  const remind = () =>
    printNotice(`Stopped. Run the same command ${restart ? "without --restart" : "again"} to resume.`);
  try {
    const last = findLastPage(path, file);
    process.once("exit", remind);
    return { last, write: (line) => failing(() => void writeSync(file, line)), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Removes a last line that is not complete. */
function findLastPage(path: string, file: number): Page | undefined {
  const found = fstatSync(file);
  if (!found.isFile()) throw new Error(`${path} is not a regular file, so the crawl could not be resumed.`);
  if (found.size === 0) return undefined;
  const start = Math.max(0, found.size - END_BYTES);
  const end = Buffer.alloc(found.size - start);
  readSync(file, end, 0, end.length, start);
  const whole = end.lastIndexOf("\n") + 1;
  const page = parsePage(end.toString("utf8", end.lastIndexOf("\n", whole - 2) + 1, whole));
  if (page?.next === null) throw new Error(`${path} is a complete copy. Use --restart to replace it.`);
  if (!page)
    throw new Error(`${path} already exists and is not an unfinished crawl. Use --restart to replace it.`);
  ftruncateSync(file, start + whole);
  return page;
}

function parsePage(line: string): Page | undefined {
  try {
    const page = JSON.parse(line);
    return isObject(page) && Array.isArray(page.results) && "next" in page
      ? (page as unknown as Page)
      : undefined;
  } catch {
    return undefined;
  }
}
