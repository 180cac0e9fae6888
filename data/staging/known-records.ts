import type { DatabaseSync } from "node:sqlite";
import { encodeRecord } from "../../src/store/blocks.ts";
import type { Problem } from "../formats/problem.ts";
import { type AppendBase, describeNotNewer } from "./append-base.ts";
import { selectRows } from "./database.ts";
import { lineEnd } from "./insert.ts";

/**
 * Compares the rows that are not newer than the loaded records with the loaded records, field by field. Reads only loaded
 * records that are at least as new as the oldest of these rows.
 * @param files the names of the files of the load
 * @returns a problem for each row that is not loaded
 */
export async function* findUnknownRecords(
  database: DatabaseSync,
  files: readonly string[],
  { statistics, read }: AppendBase,
): AsyncGenerator<Problem> {
  const { oldest } = Object(database.prepare("SELECT min(timestamp) AS oldest FROM older").get());
  if (oldest === null) return;
  database.exec("CREATE INDEX older_lines ON older (line_end)");
  // The numbers of an observation are assigned by the load, so they are null here.
  const remove = database.prepare(
    "DELETE FROM older WHERE line_end = ? AND coalesce(id, ?2) = ?2 AND coalesce(camera_pk, ?3) = ?3",
  );
  for await (const record of read(oldest))
    remove.run(lineEnd(encodeRecord(record)), record.id, record.camera_pk);
  const unknown = selectRows<{ file: number; line: number; timestamp: string }>(
    database,
    "SELECT file, line, timestamp FROM older",
  );
  for (const { file, line, timestamp } of unknown) {
    const place = { file: files[file] ?? "", line };
    const problem = describeNotNewer(place, timestamp, statistics.last ?? "");
    yield { ...problem, message: `${problem.message}, and no identical record is loaded` };
  }
}

/**
 * Looks up the loaded ids in the load, if it has ids that are not above the largest loaded one.
 * @param files the names of the files of the load
 * @returns a problem for each record whose id is loaded
 */
export async function* findKnownIds(
  database: DatabaseSync,
  files: readonly string[],
  { statistics, read }: AppendBase,
): AsyncGenerator<Problem> {
  const { smallest } = Object(database.prepare("SELECT min(id) AS smallest FROM staged").get());
  if (smallest === null || smallest > (statistics.largest_id ?? 0)) return;
  database.exec("CREATE INDEX staged_ids ON staged (id)");
  const select = database.prepare("SELECT file, line FROM staged WHERE id = ?");
  for await (const { id } of read())
    for (const { file, line } of select.all(id))
      yield {
        file: files[Number(file)] ?? "",
        line: Number(line),
        field: "id",
        value: id,
        message: "is already loaded",
      };
}
