import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { Snapshot } from "../../../src/store/snapshot.ts";

/** What a store keeps as the current snapshot. `source` becomes a header. */
const StoredSnapshot = z.strictObject({
  id: z.string().regex(/^[0-9a-z]+$/),
  count: z.int().nonnegative(),
  loaded_at: z.iso.datetime().nullable(),
  source: z.string().regex(/^[ -~]{0,100}$/),
}) satisfies z.ZodType<Snapshot>;

/** Checks a snapshot before it is stored. The worker checks less when it reads it. @throws ZodError */
export function requireStorable(snapshot: Snapshot): Snapshot {
  return StoredSnapshot.parse(snapshot);
}

const TIME_LENGTH = 9;

/**
 * Creates the id of a new snapshot: the time, so that ids sort by time and old blocks can be recognized, and random characters, so that
 * ids are unique even if clocks are wrong.
 * @param now Milliseconds since 1970
 */
export function createSnapshotId(now: number): string {
  return now.toString(36).padStart(TIME_LENGTH, "0") + randomBytes(5).toString("hex");
}

/** Parses when the load of a snapshot began, by the clock of its writer, in milliseconds since 1970. */
export function parseStartTime(id: string): number {
  return Number.parseInt(id.slice(0, TIME_LENGTH), 36);
}
