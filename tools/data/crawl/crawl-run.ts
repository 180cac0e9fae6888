import { writeOutput } from "../../../data/formats/output-file.ts";
import { MAX_SHOWN_PROBLEMS } from "../../../data/formats/problem.ts";
import { isObject } from "../../../data/formats/validation.ts";
import { openProgress } from "../../command-line/progress.ts";
import type { Clock, RetryPolicy } from "../../http-client/retry.ts";
import { advanceCheckpoint, type Checkpoint } from "./checkpoint.ts";
import type { SeenRecords } from "./consistency.ts";
import { type OutputFile, openOutputFile, STDOUT } from "./output-file.ts";
import { CollectionReplacedError, type PageQueue, type PositionedPage } from "./page-queue.ts";
import { walkPages } from "./page-walk.ts";
import { checkPage, checkRecord, formatResponseProblem, type ResponseProblem } from "./validation.ts";

/** What a crawl uses in addition to the service and its files. Tests replace it. */
export interface CrawlDependencies {
  clock: Clock;
  retryPolicy: RetryPolicy;
  /** Milliseconds from one save of the progress to the next. */
  saveInterval: number;
  /** Ends the crawl as a failure does. */
  signal: AbortSignal;
  /** Prints a line for the user during the crawl. */
  warn(line: string): void;
  /** Prints the summary. */
  print(line: string): void;
}

/** A crawl that is ready to start or to be resumed. */
export interface CrawlRun {
  checkpoint: Checkpoint;
  seen: SeenRecords;
  queue: PageQueue;
  dependencies: CrawlDependencies;
  /** Shows the user how to resume after an interruption. */
  resumeHint: string;
}

/**
 * Copies the remaining records into a file. However the run ends, it can be resumed from the last save.
 * @throws Error with the reason and how to resume
 */
export async function copyToFile(run: CrawlRun, out: string): Promise<void> {
  const { checkpoint, dependencies } = run;
  const file = openOutputFile(out, checkpoint);
  const onExit = () => dependencies.warn(`Interrupted. ${saveForResume(run, file, out)}`);
  process.once("exit", onExit);
  let savedAt = Date.now();
  try {
    for await (const _ of copyPages(run, file.append, out)) {
      if (Date.now() - savedAt < dependencies.saveInterval) continue;
      file.save();
      savedAt = Date.now();
    }
    file.finish();
  } catch (cause) {
    if (cause instanceof CollectionReplacedError) throw cause;
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`${reason}\n${saveForResume(run, file, out)}`, { cause });
  } finally {
    process.off("exit", onExit);
    file.close();
  }
}

/** Saves the progress if possible; otherwise the last save remains valid. Returns what to tell the user. */
function saveForResume({ checkpoint, resumeHint }: CrawlRun, file: OutputFile, out: string): string {
  try {
    file.save();
  } catch {}
  const { records, first } = checkpoint;
  return `${out} contains ${records} of ${first} records. ${resumeHint}`;
}

/**
 * Copies all records to standard output.
 * @throws Error with the reason, but not if the reader closes its end early (`| head`)
 */
export function copyToStdout(run: CrawlRun): Promise<void> {
  return writeOutput(STDOUT, generateText(run));
}

async function* generateText(run: CrawlRun): AsyncGenerator<string> {
  let text = "";
  const write = (lines: string) => {
    text = lines;
    return Buffer.byteLength(lines);
  };
  for await (const _ of copyPages(run, write, STDOUT)) yield text;
}

/** Copies one page after the other, and yields after each. */
async function* copyPages(
  run: CrawlRun,
  write: (lines: string) => number,
  out: string,
): AsyncGenerator<void> {
  const { checkpoint, seen, queue, dependencies } = run;
  const { clock, retryPolicy, signal } = dependencies;
  const { pages: pagesBefore, retries: retriesBefore, next: start } = checkpoint;
  const updateCounters = () => {
    checkpoint.pages = pagesBefore + queue.reader.counters.pages;
    checkpoint.retries = retriesBefore + queue.reader.counters.retries;
  };
  const pause = () => clock.wait(retryPolicy.backoff, signal);
  const progress = openProgress("copying", start, { out });
  try {
    for await (const page of walkPages({ queue, checkpoint, ids: seen.ids, pause })) {
      copyPage(page, run, write);
      updateCounters();
      progress.update(start - checkpoint.next);
      yield;
    }
  } finally {
    updateCounters();
    progress.close();
  }
}

/** Writes the records of a page unchanged, from the checkpoint's next position, and reports their problems. */
function copyPage(page: PositionedPage, run: CrawlRun, write: (lines: string) => number): void {
  const { checkpoint, seen, dependencies } = run;
  const start = page.last - checkpoint.next;
  const fresh = page.results.slice(start, page.last - page.first + 1);
  const lines = fresh.filter(isObject).map((record) => `${JSON.stringify(record)}\n`);
  // First, because the checkpoint must stay as it is if this throws.
  checkpoint.bytes += write(lines.join(""));
  const problems = checkPage(page);
  for (const [index, record] of fresh.entries()) {
    problems.push(...checkRecord(record, `${page.url} ${nameResult(record, start + index)}`, seen));
  }
  checkpoint.records += lines.length;
  checkpoint.timestamp = seen.timestamp;
  reportProblems(problems, checkpoint, dependencies.warn);
  advanceCheckpoint(checkpoint, page);
}

function nameResult(record: unknown, index: number): string {
  const { id } = Object(record);
  return Number.isSafeInteger(id) ? `record ${id}` : `result ${index + 1}`;
}

function reportProblems(problems: ResponseProblem[], checkpoint: Checkpoint, warn: (line: string) => void) {
  for (const problem of problems) {
    checkpoint.problems += 1;
    if (checkpoint.problems <= MAX_SHOWN_PROBLEMS) warn(formatResponseProblem(problem));
  }
}

/** @param problems the number of problems, 1 or more */
export function describeProblems(problems: number): string {
  const limit = problems > MAX_SHOWN_PROBLEMS ? ` (only the first ${MAX_SHOWN_PROBLEMS} are shown)` : "";
  return `${problems} problem${problems === 1 ? "" : "s"}${limit}`;
}
