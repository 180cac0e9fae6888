import type { Command } from "commander";
import { createWholeNumberParser, parseOut } from "../../command-line/options.ts";
import { openProgress, printNotice } from "../../command-line/progress.ts";
import { type CollectionUrl, formatCollectionUrl } from "../../http-client/collection-url.ts";
import { addHttpOptions } from "../../http-client/http-options.ts";
import { type RetryPolicy, realClock } from "../../http-client/retry.ts";
import type { ThrottleOptions } from "../../http-client/throttle.ts";
import { type Checkpoint, createCheckpoint, readCheckpoint } from "./checkpoint.ts";
import { createSeenRecords } from "./consistency.ts";
import {
  type CrawlDependencies,
  type CrawlRun,
  copyToFile,
  copyToStdout,
  describeProblems,
} from "./crawl-run.ts";
import { fileSize, lockOutput, readBackRecords, requireRegularFile, STDOUT } from "./output-file.ts";
import { createPageQueue } from "./page-queue.ts";
import { createPageReader, type PageReader } from "./page-reader.ts";

export interface CrawlOptions extends ThrottleOptions {
  /** A path; `-` is standard output. */
  out: string;
  /** Whether to replace the file instead of resuming. */
  restart?: boolean | undefined;
  /** The first page to copy, as pages are numbered when the crawl begins. */
  fromPage: number;
}

/** All attempts together take about two minutes, longer than a restart of the service. */
const RETRY_POLICY: RetryPolicy = {
  attempts: 8,
  timeout: 30_000,
  backoff: 1_000,
  maxBackoff: 60_000,
  maxRetryAfter: 3_600_000,
};

const DEFAULT_DEPENDENCIES: CrawlDependencies = {
  clock: realClock,
  retryPolicy: RETRY_POLICY,
  saveInterval: 1_000,
  signal: new AbortController().signal,
  warn: printNotice,
  print: console.log,
};

/** Adds the command `crawl` to a program. */
export function addCrawl(program: Command): void {
  addHttpOptions(program.command("crawl"))
    .description("copy the records of another deployment into a JSON Lines file, newest first")
    .option(
      "--out <file>",
      "file to write, or to resume if it is an unfinished crawl; - is standard output",
      parseOut,
      "records.jsonl",
    )
    .option("--restart", "start over and replace the file")
    .option(
      "--from-page <n>",
      "start at this page and copy older records only",
      createWholeNumberParser(1),
      1,
    )
    .action((collection: CollectionUrl, options: CrawlOptions) => crawl(collection, options));
}

/**
 * Copies a collection page by page into JSON Lines, newest record first. Every record that exists when the crawl begins
 * is copied exactly once, even if records are added at the same time. An unfinished crawl is resumed.
 * @throws Error if the collection cannot be read or is replaced, if the file cannot be written or another crawl is
 * writing it, or, after everything was copied, if a page or a record violates the specification
 */
export async function crawl(
  collection: CollectionUrl,
  options: CrawlOptions,
  overrides: Partial<CrawlDependencies> = {},
): Promise<void> {
  const { out, concurrency } = options;
  const unlock = lockOutput(out);
  const end = new AbortController();
  const given = { ...DEFAULT_DEPENDENCIES, ...overrides };
  const dependencies = { ...given, signal: AbortSignal.any([given.signal, end.signal]) };
  try {
    requireRegularFile(out);
    const saved = findCheckpoint(collection, options);
    const query = saved ? new URLSearchParams(saved.query) : collection.query;
    const reader = createPageReader({ ...collection, query }, { ...dependencies, ...options });
    const { checkpoint, seen, firstPage } = saved
      ? await resume(saved, out, dependencies)
      : await start(collection, options.fromPage, reader);
    const { size, count: minCount } = checkpoint;
    const queue = createPageQueue(reader, { concurrency, size, minCount }, firstPage);
    const resumeHint = `Run the same command ${options.restart ? "without --restart" : "again"} to resume.`;
    const run: CrawlRun = { checkpoint, seen, queue, dependencies, resumeHint };
    await (out === STDOUT ? copyToStdout(run) : copyToFile(run, out));
    reportEnd(run, out);
  } finally {
    // Pages that are still being fetched are not needed any more.
    end.abort();
    unlock();
  }
}

/**
 * The checkpoint of the unfinished crawl in the output file.
 * @throws Error if the file contains something else
 */
function findCheckpoint(
  collection: CollectionUrl,
  { out, restart, fromPage }: CrawlOptions,
): Checkpoint | undefined {
  if (out === STDOUT || restart) return undefined;
  const saved = readCheckpoint(out);
  if (!saved) {
    if (fileSize(out) === undefined) return undefined;
    throw new Error(`${out} already exists and is not an unfinished crawl. Use --restart to replace it.`);
  }
  if (saved.collection === formatCollectionUrl(collection) && saved.fromPage === fromPage) return saved;
  throw new Error(
    `${out} is an unfinished crawl of ${saved.collection} from page ${saved.fromPage}. ` +
      "Use --restart to replace it, or --out to write to another file.",
  );
}

async function start(collection: CollectionUrl, fromPage: number, reader: PageReader) {
  const firstPage = await reader.read(1);
  const checkpoint = createCheckpoint(collection, fromPage, firstPage);
  return { checkpoint, seen: createSeenRecords(null), firstPage };
}

async function resume(checkpoint: Checkpoint, out: string, { warn }: CrawlDependencies) {
  const { problems, records, timestamp } = checkpoint;
  if (problems > 0) warn(`Before it was interrupted, the crawl found ${describeProblems(problems)}.`);
  const seen = createSeenRecords(timestamp);
  const progress = openProgress("reading the copied records", records);
  await readBackRecords(out, checkpoint, seen, progress.update).finally(progress.close);
  return { checkpoint, seen, firstPage: undefined };
}

/** @throws Error if there were problems */
function reportEnd({ checkpoint, queue, dependencies }: CrawlRun, out: string): void {
  const { records, pages, retries, count, problems } = checkpoint;
  const added = queue.latestCount - count;
  const sentences = [
    `Copied ${records} records${out === STDOUT ? "" : ` to ${out}`}.`,
    `Pages read: ${pages}.`,
    `Retries: ${retries}.`,
  ];
  if (added > 0) sentences.push(`Records added during the crawl, not copied: ${added}.`);
  // If the records go to standard output, nothing else may.
  const report = out === STDOUT ? dependencies.warn : dependencies.print;
  report(sentences.join(" "));
  if (problems === 0) return;
  throw new Error(`Found ${describeProblems(problems)}. The records were copied unchanged.`);
}
