import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CrawlOptions, crawl } from "../../../../tools/data/crawl/crawl.ts";
import type { CrawlDependencies } from "../../../../tools/data/crawl/crawl-run.ts";
import { parseCollectionUrl } from "../../../../tools/http-client/collection-url.ts";
import { realClock } from "../../../../tools/http-client/retry.ts";
import { createFolder } from "../../../temporary-folder.ts";

/** The path of a file that does not exist yet. */
export function newFile(): string {
  return join(createFolder(), "records.jsonl");
}

/** Like the policy of the command, but its waits are a thousand times as fast. A busy machine may need long for a response. */
export const FAST_RETRIES = {
  attempts: 8,
  timeout: 30_000,
  backoff: 1,
  maxBackoff: 60,
  maxRetryAfter: 3_600_000,
};

export interface CrawlResult {
  out: string;
  /** The lines of the file. */
  lines: string[];
  printed: string[];
  warned: string[];
  /** The message, if the crawl failed. */
  error: string | undefined;
}

/** Crawls into a file and returns the result. */
export async function runCrawl(
  url: string,
  options: Partial<CrawlOptions> = {},
  dependencies: Partial<CrawlDependencies> = {},
): Promise<CrawlResult> {
  const complete = { out: newFile(), fromPage: 1, delay: 0, concurrency: 1, ...options };
  const printed: string[] = [];
  const warned: string[] = [];
  const overrides = {
    clock: realClock,
    retryPolicy: FAST_RETRIES,
    saveInterval: 1_000,
    warn: (line: string) => warned.push(line),
    print: (line: string) => printed.push(line),
    ...dependencies,
  };
  const error = await crawl(parseCollectionUrl(url), complete, overrides).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { out: complete.out, lines: readLines(complete.out), printed, warned, error };
}

/** The lines of a file. A last line without a line break is marked. */
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

/** The lines that a crawl writes for these records, given oldest first. */
export function linesOf(records: readonly unknown[]): string[] {
  return records.map((record) => JSON.stringify(record)).reverse();
}
