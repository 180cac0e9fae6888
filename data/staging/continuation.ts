import type { DatabaseSync } from "node:sqlite";
import type { TrafficRecord } from "../../src/records/record.ts";
import type { Place, Problem } from "../formats/problem.ts";
import type { ObservationRow, RecordRow } from "../formats/row.ts";

/** What is loaded already, if the records are to be added to it. */
export interface Continuation {
  /** The newest timestamp, the largest id and the camera_ref of each camera_pk. */
  newest: string;
  largestId: number;
  cameras: ReadonlyMap<number, string>;
  /** Passes over records that are not newer if they are loaded; otherwise, all that are not newer are problems. */
  skipKnown: boolean;
  /** Gives those of the ids that are loaded. */
  findIds(ids: Iterable<number>): AsyncIterable<number>;
  /** Gives what is loaded from this timestamp on, and perhaps some of what is older, oldest first. */
  readSince(timestamp: string): AsyncIterable<TrafficRecord>;
}

/** Whether a record is newer than everything that is loaded: its position could not be at the end otherwise. */
export function isNewer({ timestamp }: Timed, { newest }: Pick<Continuation, "newest">): boolean {
  return timestamp > newest;
}

type Timed = Pick<TrafficRecord, "timestamp">;

/** The problem of a record that is not newer than everything that is loaded. */
export function refuseOlder({ file, line }: Place, timestamp: string, newest: string): Problem {
  const message = `is not later than ${JSON.stringify(newest)}, the newest that is loaded`;
  return { file, line, field: "timestamp", value: timestamp, message };
}

/** A problem if the camera_pk is loaded with another camera_ref (specification, "Record", rule 4). */
export function refuseCamera(
  row: RecordRow | ObservationRow,
  { cameras }: Pick<Continuation, "cameras">,
): Problem | undefined {
  if (!("record" in row)) return undefined;
  const { camera_pk, camera_ref } = row.record;
  const loaded = cameras.get(camera_pk);
  if (loaded === undefined || loaded === camera_ref) return undefined;
  const message = `is not the camera_ref of camera_pk ${camera_pk}, which is ${JSON.stringify(loaded)} in what is loaded`;
  return { file: row.file, line: row.line, field: "camera_ref", value: camera_ref, message };
}

/**
 * Takes the database of a load and the names of its files, gives a problem for each record whose id is loaded. Only
 * ids up to the largest that is loaded have to be looked for.
 */
export async function* compareIds(
  database: DatabaseSync,
  files: readonly string[],
  { largestId, findIds }: Pick<Continuation, "largestId" | "findIds">,
): AsyncGenerator<Problem> {
  database.exec("CREATE TABLE loaded (id INTEGER PRIMARY KEY) STRICT");
  const insert = database.prepare("INSERT OR IGNORE INTO loaded (id) VALUES (?)");
  for await (const id of findIds(selectIds(database, largestId))) insert.run(id);
  const select = database.prepare("SELECT file, line, id FROM staged JOIN loaded USING (id)");
  for (const { file, line, id } of select.iterate() as Iterable<unknown> as Iterable<Known>) {
    yield { file: files[file] ?? "", line, field: "id", value: id, message: "is already loaded" };
  }
}

interface Known {
  file: number;
  line: number;
  id: number;
}

function* selectIds(database: DatabaseSync, largest: number): Generator<number> {
  const select = database.prepare("SELECT id FROM staged WHERE id <= ?");
  for (const { id } of select.iterate(largest)) yield Number(id);
}
