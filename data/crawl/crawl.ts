import { note, openProgress } from "../../tools/command-line/progress.ts";
import { type CollectionUrl, formatCollectionUrl } from "../../tools/http-client/collection-url.ts";
import { type RetryPolicy, realClock } from "../../tools/http-client/retry.ts";
import type { ThrottleOptions } from "../../tools/http-client/throttle.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { countProblems, summariseProblems } from "./copy.ts";
import { measureFile, PIPE, recallRecords, refuseOther } from "./copy-file.ts";
import { type Crawl, copyToFile, copyToPipe } from "./copying.ts";
import { lockFile } from "./lock.ts";
import { createPages } from "./pages.ts";
import { createReader, type Reader } from "./reader.ts";
import { createCopied } from "./record-check.ts";
import { beginState, type CrawlState } from "./state.ts";
import type { Surroundings } from "./surroundings.ts";

export interface CrawlOptions extends ThrottleOptions {
  /** A path; `-` is standard output. */
  out: string;
  /** Begin anew, whatever there is. */
  restart?: boolean | undefined;
  /** The page to begin with, as pages are at the start; older records only. */
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

const SURROUNDINGS: Surroundings = {
  clock: realClock,
  retryPolicy: RETRY_POLICY,
  saveInterval: 1_000,
  signal: new AbortController().signal,
  warn: note,
  print: console.log,
};

/**
 * Copies a collection page by page into JSON Lines, newest record first: every record that was there at the start
 * exactly once, even if records are added meanwhile. A file that was begun is gone on with.
 * @throws Error if the collection cannot be read or is replaced, if the file cannot be written or is being written, or, in the end, if a
 * page or a record breaks the specification
 */
export async function crawl(
  collection: CollectionUrl,
  options: CrawlOptions,
  replacements: Partial<Surroundings> = {},
): Promise<void> {
  const unlock = lockFile(options.out);
  const stop = new AbortController();
  const given = { ...SURROUNDINGS, ...replacements };
  const surroundings = { ...given, signal: AbortSignal.any([given.signal, stop.signal]) };
  try {
    refuseOther(options.out);
    const saved = findSaved(collection, options);
    const asked = saved ? { ...collection, query: new URLSearchParams(saved.query) } : collection;
    const reader = createReader(asked, { ...surroundings, ...options });
    const begun = await (saved ? goOn(saved, options, surroundings) : begin(collection, options, reader));
    const { concurrency } = options;
    const { size, count: least } = begun.state;
    const pages = createPages(reader, { concurrency, size, least }, begun.newest);
    const crawl: Crawl = { ...begun, surroundings, pages };
    await (options.out === PIPE ? copyToPipe(crawl) : copyToFile(crawl, options.out));
    tellEnd(crawl, options.out);
  } finally {
    // What is read ahead is of no use any more.
    stop.abort();
    unlock();
  }
}

function findSaved(
  collection: CollectionUrl,
  { out, restart, fromPage }: CrawlOptions,
): CrawlState | undefined {
  if (out === PIPE || restart) return undefined;
  const saved = readCheckpoint(out);
  if (!saved) {
    if (measureFile(out) === undefined) return undefined;
    throw new Error(`${out} exists already, and no crawl is to go on with it; --restart replaces it`);
  }
  const name = formatCollectionUrl(collection);
  if (saved.collection === name && saved.fromPage === fromPage) return saved;
  throw new Error(
    `${out} is the begun copy of ${saved.collection} from page ${saved.fromPage} on; --restart begins anew`,
  );
}

async function begin(collection: CollectionUrl, { fromPage }: CrawlOptions, reader: Reader) {
  const newest = await reader.read(1);
  const state = beginState(collection, fromPage, newest);
  return { state, copied: createCopied(null), newest };
}

async function goOn(state: CrawlState, { out }: CrawlOptions, { warn }: Surroundings) {
  const { problems } = state;
  if (problems > 0) warn(`Before the copy was stopped: ${countProblems(problems)}.`);
  const copied = createCopied(state.timestamp);
  const progress = openProgress("reading what is copied", state.records);
  await recallRecords(out, state, copied, progress.update).finally(progress.close);
  return { state, copied, newest: undefined };
}

/** Standard output is for the records if they go there. */
function tellEnd({ state, pages, surroundings }: Crawl, out: string): void {
  const [tell, to] = out === PIPE ? [surroundings.warn, ""] : [surroundings.print, ` to ${out}`];
  const added = pages.latest - state.count;
  const more = added > 0 ? ` ${added} that were added meanwhile are not among them.` : "";
  tell(`Copied ${state.records} records${to}: ${state.pages} pages read, ${state.retries} retries.${more}`);
  const problems = summariseProblems(state);
  if (problems !== undefined) throw new Error(problems);
}
