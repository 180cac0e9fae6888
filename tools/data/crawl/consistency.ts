import { createIdSet, type IdSet } from "../../id-set.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { PositionedPage } from "./page-queue.ts";

/** What a crawl remembers about all records that it has copied. */
export interface SeenRecords {
  ids: IdSet;
  /** The camera_ref of each camera_pk. */
  cameraRefs: Map<number, string>;
  /** The timestamp of the last record. */
  timestamp: string | null;
  /** The cameras that have a record with the latest timestamp. Records with equal timestamps follow each other. */
  latest: { timestamp: string | null; cameras: Set<number> };
}

/** @param timestamp the timestamp of the last record that has been copied, null if there is none */
export function createSeenRecords(timestamp: string | null): SeenRecords {
  const latest = { timestamp, cameras: new Set<number>() };
  return { ids: createIdSet(), cameraRefs: new Map(), timestamp, latest };
}

/** What a record wrongly has in common with previous records, or contradicts. */
interface Conflicts {
  /** Its id, if a previous record has it. */
  id?: number;
  /** The camera_ref of previous records with its camera_pk, if it is a different one. */
  cameraRef?: string;
  /** Its timestamp, if a previous record of its camera has it. */
  timestamp?: string;
}

/** Adds a record, and returns its conflicts with those added before. */
export function addRecord(seen: SeenRecords, record: unknown): Conflicts {
  const id = idOf(record);
  const conflicts: Conflicts = id !== undefined && !seen.ids.add(id) ? { id } : {};
  const { camera_pk, camera_ref, timestamp } = Object(record);
  if (typeof camera_pk !== "number") return conflicts;
  if (typeof timestamp === "string" && !addTimestamp(seen, camera_pk, timestamp)) {
    conflicts.timestamp = timestamp;
  }
  if (typeof camera_ref !== "string") return conflicts;
  const previousRef = seen.cameraRefs.get(camera_pk);
  if (previousRef === undefined) seen.cameraRefs.set(camera_pk, camera_ref);
  else if (previousRef !== camera_ref) conflicts.cameraRef = previousRef;
  return conflicts;
}

/** @returns false if the camera has a record with this timestamp already */
function addTimestamp(seen: SeenRecords, camera: number, timestamp: string): boolean {
  if (seen.latest.timestamp !== timestamp) seen.latest = { timestamp, cameras: new Set() };
  if (seen.latest.cameras.has(camera)) return false;
  seen.latest.cameras.add(camera);
  return true;
}

/** How a page contradicts what has been copied. */
export interface Inconsistency {
  message: string;
  /** Whether the crawl must end if the page is the same after another request. */
  isFatal: boolean;
}

/**
 * Compares a page with what has been copied. Even a sound service can return an inconsistent page: if it counts and
 * selects in two steps and the collection grows in between, the positions are wrong by a few.
 * @param ids the ids of all records that have been copied
 */
export function findInconsistency(
  page: PositionedPage,
  checkpoint: Checkpoint,
  ids: IdSet,
): Inconsistency | undefined {
  return (
    findChangedRecord(page, checkpoint) ??
    findRepeatedRecords(page, checkpoint, ids) ??
    findNewerRecord(page, checkpoint) ??
    findWrongLength(page)
  );
}

function findChangedRecord(
  { url, last, results }: PositionedPage,
  { known }: Checkpoint,
): Inconsistency | undefined {
  for (const [index, record] of results.entries()) {
    const text = known.get(last - index);
    if (text === undefined || text === JSON.stringify(record)) continue;
    const [name, previousName] = [nameRecord(record), nameRecord(JSON.parse(text))];
    return { message: `${url} has ${name} where ${previousName} was before`, isFatal: true };
  }
  return undefined;
}

function findRepeatedRecords(
  { url, last, results }: PositionedPage,
  { next }: Checkpoint,
  ids: IdSet,
): Inconsistency | undefined {
  const fresh = results.slice(Math.max(0, last - next));
  const repeated = fresh.filter((record) => ids.has(idOf(record) ?? Number.NaN));
  if (repeated.length === 0) return undefined;
  // Some ids may just not be unique, but a page that only repeats records is not a page of its own.
  const isFatal = repeated.length > 1 && repeated.length === fresh.length;
  return { message: `${url} has ${isFatal ? "only" : "some"} records that are on newer pages`, isFatal };
}

/** A record that is newer than the one before it may have been added after the crawl began. */
function findNewerRecord(
  { url, last, results }: PositionedPage,
  checkpoint: Checkpoint,
): Inconsistency | undefined {
  const { timestamp } = Object(results[last - checkpoint.next]);
  if (checkpoint.timestamp === null || typeof timestamp !== "string") return undefined;
  if (timestamp <= checkpoint.timestamp) return undefined;
  return { message: `${url} has newer records than the page before`, isFatal: false };
}

function findWrongLength({ url, first, last, results }: PositionedPage): Inconsistency | undefined {
  if (results.length === last - first + 1) return undefined;
  return { message: `${url} has ${results.length} records`, isFatal: false };
}

/** @returns undefined if the record has no valid id */
function idOf(record: unknown): number | undefined {
  const id = Object(record).id;
  return Number.isSafeInteger(id) ? id : undefined;
}

/** What to call an element of `results` in a message. */
function nameRecord(record: unknown): string {
  const id = idOf(record);
  return id === undefined ? "a record without id" : `record ${id}`;
}
