import type { TrafficRecord } from "../../src/records/schema.ts";
import { print } from "../command-line/print.ts";
import { openProgress } from "../command-line/progress.ts";
import { formatCount } from "../messages.ts";
import { type FormatName, OUTPUT_FORMATS } from "./formats/formats.ts";
import { writeOutput } from "./formats/output-file.ts";
import { formatProblem } from "./formats/problem.ts";
import { checkRecord } from "./formats/validation.ts";
import { readRecords } from "./read-records.ts";
import type { StoreChoice } from "./stores/configuration.ts";
import { withStore } from "./stores/open-store.ts";

export interface Output {
  format: FormatName;
  /** A path, or `-` for standard output. */
  out: string;
}

export interface ExportOptions extends StoreChoice, Output {}

/**
 * Writes all loaded records, newest first.
 * @throws Error if nothing is loaded, or if the collection is replaced during the export
 */
export async function exportRecords({ format, out, ...choice }: ExportOptions): Promise<void> {
  await withStore(choice, "read", async ({ name, location, store }) => {
    const { snapshot } = await store.readCurrent();
    if (snapshot.id === null) throw new Error(`Nothing is loaded in the ${name} store (${location}).`);
    const records = requireValid(readRecords(store, snapshot));
    await writeRecords("exporting", records, { format, out, total: snapshot.count });
    if (out !== "-") print(`Exported ${formatCount(snapshot.count, "record")}.`);
  });
}

/**
 * Checks records like a load does, because other software can write records with control characters to the store.
 * @throws Error if a record is invalid
 */
async function* requireValid(records: AsyncIterable<TrafficRecord>): AsyncGenerator<TrafficRecord> {
  for await (const record of records) {
    const row = checkRecord(record, { file: `Record ${record.id} in the store`, line: 0 });
    if ("problems" in row) throw new Error(row.problems.map(formatProblem).join("\n"));
    yield record;
  }
}

/**
 * Writes records, and shows the progress.
 * @throws Error if the name of the output is that of another format
 */
export async function writeRecords(
  step: string,
  records: Iterable<TrafficRecord> | AsyncIterable<TrafficRecord>,
  { format, out, total }: Output & { total: number | undefined },
): Promise<void> {
  for (const [other, { names }] of Object.entries(OUTPUT_FORMATS))
    if (other !== format && names.test(out))
      throw new Error(`${out} has the name of another format. Add --format ${other}, or change the name.`);
  const { update, close } = openProgress(step, { total, out });
  const { header, formatLine } = OUTPUT_FORMATS[format];
  async function* write() {
    yield header;
    let written = 0;
    for await (const record of records) {
      yield formatLine(record);
      if (++written % 1_000 === 0) update(written);
    }
  }
  await writeOutput(out, write()).finally(close);
}
