import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type CrawlOptions, crawl } from "../../../data/crawl/crawl.ts";
import type { Surroundings } from "../../../data/crawl/surroundings.ts";
import { parseCollectionUrl } from "../../../tools/http-client/collection-url.ts";
import { realClock } from "../../../tools/http-client/retry.ts";

const folder = mkdtempSync(join(tmpdir(), "crawl-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/** The path of a file that does not exist yet. */
export function newFile(): string {
  files += 1;
  return join(folder, `${files}.jsonl`);
}

/** As patient as the real thing, but a thousand times as fast. */
export const QUICK = {
  attempts: 8,
  timeout: 400,
  backoff: 1,
  maxBackoff: 60,
  maxRetryAfter: 3_600_000,
};

export interface Copy {
  out: string;
  /** The lines of the file. */
  lines: string[];
  printed: string[];
  warned: string[];
  /** The message, if the crawl failed. */
  error: string | undefined;
}

/** Crawls into a file and gives what came of it. */
export async function copy(
  url: string,
  options: Partial<CrawlOptions> = {},
  surroundings: Partial<Surroundings> = {},
): Promise<Copy> {
  const complete = { out: newFile(), fromPage: 1, delay: 0, concurrency: 1, ...options };
  const printed: string[] = [];
  const warned: string[] = [];
  const replacements = {
    clock: realClock,
    retryPolicy: QUICK,
    saveInterval: 1_000,
    warn: (line: string) => warned.push(line),
    print: (line: string) => printed.push(line),
    ...surroundings,
  };
  const error = await crawl(parseCollectionUrl(url), complete, replacements).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { out: complete.out, lines: readLines(complete.out), printed, warned, error };
}

/** The lines of a file; a last line without end has a mark. */
export function readLines(path: string): string[] {
  const text = readText(path);
  const lines = text.split("\n");
  const rest = lines.pop();
  return rest === "" ? lines : [...lines, `${rest}<torn>`];
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The lines that a copy of these records, oldest first, has. */
export function linesOf(records: readonly unknown[]): string[] {
  return records.map((record) => JSON.stringify(record)).reverse();
}
