import { openProgress } from "../../tools/command-line/progress.ts";
import { writeOutput } from "../formats/output-file.ts";
import { copyPage } from "./copy.ts";
import { type CopyFile, openCopyFile, PIPE } from "./copy-file.ts";
import type { Pages } from "./pages.ts";
import type { Copied } from "./record-check.ts";
import { Replaced } from "./replaced.ts";
import type { CrawlState } from "./state.ts";
import type { Surroundings } from "./surroundings.ts";
import { walk } from "./walk.ts";

/** A crawl that can begin, or go on. */
export interface Crawl {
  state: CrawlState;
  copied: Copied;
  pages: Pages;
  surroundings: Surroundings;
}

/**
 * Copies what is left into a file. Stopped in any way, it leaves a file that can be gone on with, at most the save
 * interval behind.
 * @throws Error with the reason and how to go on
 */
export async function copyToFile(crawl: Crawl, out: string): Promise<void> {
  const { state, surroundings } = crawl;
  const file = openCopyFile(out, state);
  const stopped = () => surroundings.warn(`Stopped. ${leave(crawl, file, out)}`);
  process.once("exit", stopped);
  let savedAt = Date.now();
  try {
    for await (const _ of copyPages(crawl, file.append, out)) {
      if (Date.now() - savedAt < surroundings.saveInterval) continue;
      file.save();
      savedAt = Date.now();
    }
    file.finish();
  } catch (cause) {
    if (cause instanceof Replaced) throw cause;
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`${reason}\n${leave(crawl, file, out)}`, { cause });
  } finally {
    process.off("exit", stopped);
    file.close();
  }
}

/** Saves what there is, if that is possible: what was saved before is good as well. */
function leave({ state }: Crawl, file: CopyFile, out: string): string {
  try {
    file.save();
  } catch {}
  return `${out} holds ${state.records} of ${state.first} records. The same command goes on from there.`;
}

/**
 * Copies everything to standard output. A reader that has read enough of it (`| head`) is no failure.
 * @throws Error with the reason
 */
export function copyToPipe(crawl: Crawl): Promise<void> {
  return writeOutput(PIPE, collectLines(crawl));
}

async function* collectLines(crawl: Crawl): AsyncGenerator<string> {
  let lines = "";
  const write = (text: string) => {
    lines = text;
    return Buffer.byteLength(text);
  };
  for await (const _ of copyPages(crawl, write, PIPE)) yield lines;
}

/** Copies page after page and yields after each. */
async function* copyPages(crawl: Crawl, write: (text: string) => number, out: string): AsyncGenerator<void> {
  const { state, copied, pages, surroundings } = crawl;
  const { clock, patience, signal, warn } = surroundings;
  const { pages: pagesBefore, retries: retriesBefore, next: begin } = state;
  const count = () => {
    state.pages = pagesBefore + pages.reader.counters.pages;
    state.retries = retriesBefore + pages.reader.counters.retries;
  };
  const pause = () => clock.wait(patience.backoff, signal);
  const progress = openProgress("copying", begin, { out });
  try {
    for await (const page of walk({ pages, state, ids: copied.ids, pause })) {
      copyPage(page, state, copied, write, warn);
      count();
      progress.update(begin - state.next);
      yield;
    }
  } finally {
    count();
    progress.close();
  }
}
