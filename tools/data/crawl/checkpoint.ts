import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import * as z from "zod";
import { lastPage, PAGE_SIZE } from "../../../src/records/page.ts";
import { type CollectionUrl, formatCollectionUrl, pageUrl } from "../../http-client/collection-url.ts";
import type { PositionedPage } from "./page-queue.ts";
import type { FetchedPage } from "./page-reader.ts";

const wholeNumber = z.int().nonnegative();

/** How far a crawl has come: everything that is needed to resume it, except the output file. */
const Checkpoint = z.strictObject({
  collection: z.string(),
  fromPage: wholeNumber,
  /** The query of all page requests: the parameters of the command's URL and those that the links of page 1 add. */
  query: z.string(),
  /** The count when the crawl began. */
  count: wholeNumber,
  /** Records per page. */
  size: wholeNumber.min(1),
  /** The position of the newest record to copy. */
  first: wholeNumber,
  /** The position to copy next. All positions from `first` down to this one have been copied. */
  next: wholeNumber,
  /** The first and the last records copied, as JSON by position, to compare later responses with. */
  known: z.map(wholeNumber, z.string()),
  /** The timestamp of the last record copied. */
  timestamp: z.string().nullable(),
  /** The size of the output file. */
  bytes: wholeNumber,
  /** The number of records in the output file. */
  records: wholeNumber,
  problems: wholeNumber,
  pages: wholeNumber,
  retries: wholeNumber,
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/**
 * The checkpoint before the first record.
 * @param newest page 1, from which the count and the number of records per page are taken
 * @throws Error if the collection has no page `fromPage`
 */
export function createCheckpoint(
  collection: CollectionUrl,
  fromPage: number,
  newest: FetchedPage,
): Checkpoint {
  const { count, results } = newest;
  const size = count > results.length && results.length > 0 ? results.length : PAGE_SIZE;
  const first = count - size * (fromPage - 1);
  if (first < 1 && fromPage > 1) {
    throw new Error(`${pageUrl(collection, fromPage)} does not exist: the last page is ${lastPage(count)}`);
  }
  const name = formatCollectionUrl(collection);
  const query = newest.collection.query.toString();
  const empty = { timestamp: null, bytes: 0, records: 0, problems: 0, pages: 0, retries: 0 };
  return { collection: name, fromPage, query, count, size, first, next: first, known: new Map(), ...empty };
}

/** Records that a page has been copied down to its last record. */
export function advanceCheckpoint(checkpoint: Checkpoint, page: PositionedPage): void {
  const { first, size, known } = checkpoint;
  for (const [index, record] of page.results.entries()) known.set(page.last - index, JSON.stringify(record));
  checkpoint.next = page.first - 1;
  for (const position of known.keys()) {
    if (position > checkpoint.next + size && position <= first - size) known.delete(position);
  }
}

function checkpointPath(out: string): string {
  return `${out}.progress`;
}

/**
 * Reads the progress file that belongs to an output file.
 * @returns undefined if there is none
 * @throws Error if it is invalid
 */
export function readCheckpoint(out: string): Checkpoint | undefined {
  const path = checkpointPath(out);
  try {
    const { known, ...fields } = JSON.parse(readFileSync(path, "utf8"));
    return Checkpoint.parse({ ...fields, known: new Map(known) });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new Error(`${path} is not a valid progress file. Use --restart to start over.`, { cause: error });
  }
}

/** Replaces the progress file atomically: after a crash there is either the old file or the new one. */
export function writeCheckpoint(out: string, checkpoint: Checkpoint): void {
  const path = checkpointPath(out);
  const temporary = `${path}.new`;
  const file = openSync(temporary, "w");
  try {
    writeSync(file, `${JSON.stringify({ ...checkpoint, known: [...checkpoint.known] })}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

export function removeCheckpoint(out: string): void {
  rmSync(checkpointPath(out), { force: true });
}
