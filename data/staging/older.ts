import type { DatabaseSync } from "node:sqlite";
import { TrafficRecord } from "../../src/records/record.ts";
import type { Problem } from "../formats/problem.ts";
import { type Continuation, refuseOlder } from "./continuation.ts";

/** A row that is not newer than what is loaded, by the rank of its file. */
interface Older {
  file: number;
  line: number;
  timestamp: string;
}

/** What the load numbers itself where the input is a report: observations have none of it. */
const NUMBERS: readonly string[] = ["id", "camera_pk"];

/**
 * Takes the database of a load and the names of its files, gives a problem for each of the older rows that is not
 * loaded, field by field. Reads of what is loaded no more than from the oldest of them on.
 */
export async function* compareOlder(
  database: DatabaseSync,
  files: readonly string[],
  { newest, readSince }: Pick<Continuation, "newest" | "readSince">,
): AsyncGenerator<Problem> {
  const { oldest } = Object(database.prepare("SELECT min(timestamp) AS oldest FROM older").get());
  if (oldest === null) return;
  database.exec("CREATE INDEX older_times ON older (timestamp, camera_ref)");
  const fields = TrafficRecord.keyof().options;
  const conditions = fields.map((field, index) => {
    const value = `?${index + 1}`;
    return `${NUMBERS.includes(field) ? `coalesce(${field}, ${value})` : field} IS ${value}`;
  });
  const forget = database.prepare(`DELETE FROM older WHERE ${conditions.join(" AND ")}`);
  for await (const record of readSince(oldest)) forget.run(...fields.map((field) => record[field]));
  const select = database.prepare("SELECT file, line, timestamp FROM older");
  for (const { file, line, timestamp } of select.iterate() as Iterable<unknown> as Iterable<Older>) {
    const problem = refuseOlder({ file: files[file] ?? "", line }, timestamp, newest);
    yield { ...problem, message: `${problem.message}, and nothing like it is loaded` };
  }
}
