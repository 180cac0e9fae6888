import type { DatabaseSync } from "node:sqlite";
import { TrafficRecord } from "../../src/records/record.ts";
import type { Problem } from "../formats/problem.ts";
import { type AppendBase, describeNotNewer } from "./append-base.ts";
import { selectRows } from "./database.ts";

/** The load assigns these to observations, so they are null in the database. */
const ASSIGNED_FIELDS: readonly string[] = ["id", "camera_pk"];

/**
 * Compares the rows that are not newer than the loaded records with the loaded records, field by field. Reads only loaded
 * records that are at least as new as the oldest of these rows.
 * @param files the names of the files of the load
 * @returns a problem for each row that is not loaded
 */
export async function* findUnknownRecords(
  database: DatabaseSync,
  files: readonly string[],
  { newest, readSince }: Pick<AppendBase, "newest" | "readSince">,
): AsyncGenerator<Problem> {
  const { oldest } = Object(database.prepare("SELECT min(timestamp) AS oldest FROM older").get());
  if (oldest === null) return;
  database.exec("CREATE INDEX older_times ON older (timestamp, camera_ref)");
  const fields = TrafficRecord.keyof().options;
  const conditions = fields.map((field, index) => {
    const value = `?${index + 1}`;
    return `${ASSIGNED_FIELDS.includes(field) ? `coalesce(${field}, ${value})` : field} IS ${value}`;
  });
  const remove = database.prepare(`DELETE FROM older WHERE ${conditions.join(" AND ")}`);
  for await (const record of readSince(oldest)) remove.run(...fields.map((field) => record[field]));
  const unknown = selectRows<{ file: number; line: number; timestamp: string }>(
    database,
    "SELECT file, line, timestamp FROM older",
  );
  for (const { file, line, timestamp } of unknown) {
    const problem = describeNotNewer({ file: files[file] ?? "", line }, timestamp, newest);
    yield { ...problem, message: `${problem.message}, and no identical record is loaded` };
  }
}

/**
 * Looks up the ids of the load that are not above the largest loaded id.
 * @param files the names of the files of the load
 * @returns a problem for each record whose id is loaded
 */
export async function* findKnownIds(
  database: DatabaseSync,
  files: readonly string[],
  { largestId, findIds }: Pick<AppendBase, "largestId" | "findIds">,
): AsyncGenerator<Problem> {
  database.exec("CREATE TABLE loaded (id INTEGER PRIMARY KEY) STRICT");
  const insert = database.prepare("INSERT OR IGNORE INTO loaded (id) VALUES (?)");
  for await (const id of findIds(selectIds(database, largestId))) insert.run(id);
  const known = selectRows<{ file: number; line: number; id: number }>(
    database,
    "SELECT file, line, id FROM staged JOIN loaded USING (id)",
  );
  for (const { file, line, id } of known) {
    yield { file: files[file] ?? "", line, field: "id", value: id, message: "is already loaded" };
  }
}

function* selectIds(database: DatabaseSync, largest: number): Generator<number> {
  const select = database.prepare("SELECT id FROM staged WHERE id <= ?");
  for (const { id } of select.iterate(largest)) yield Number(id);
}
