import type { PositionRange } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/schema.ts";
import { BLOCK_SIZE, decodeRange, getBlockNumbers, parseBlock } from "../../src/store/block.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import { requireBlocks, type Store } from "../../src/store/store.ts";
import { print } from "../command-line/print.ts";
import { openProgress } from "../command-line/progress.ts";
import { formatCount } from "../messages.ts";
import { type FormatName, OUTPUT_FORMATS } from "./formats/formats.ts";
import { writeOutput } from "./formats/output-file.ts";
import { formatProblem } from "./formats/problem.ts";
import { checkRecord } from "./formats/validation.ts";
import type { StoreChoice } from "./stores/configuration.ts";
import { withStore } from "./stores/open-store.ts";

export interface Output {
  format: FormatName;
  /** A path, or `-` for standard output. */
  out: string;
}

/**
 * Writes all loaded records, newest first.
 * @throws Error if nothing is loaded, or if the collection is replaced during the export
 */
export async function exportRecords({ format, out, ...choice }: StoreChoice & Output): Promise<void> {
  await withStore(choice, "read", async ({ name, location, store }) => {
    const { snapshot } = await store.readCurrent();
    if (snapshot.id === null) throw new Error(`Nothing is loaded in the ${name} store (${location}).`);
    const records = requireValid(readRecords(store, snapshot));
    await writeRecords("exporting", records, { format, out, total: snapshot.count });
    if (out !== "-") print(`Exported ${formatCount(snapshot.count, "record")}.`);
  });
}

/** The number of records per read: as many blocks as a deployed KV returns, 1 to 10 MB, because wrangler starts for each read. */
const PART_SIZE = 100 * BLOCK_SIZE;

/**
 * Reads the records of a snapshot, newest first.
 * @throws Error if the collection was replaced in the meantime, if a block is missing or damaged, or if the store fails
 */
export async function* readRecords(store: Store, snapshot: Snapshot): AsyncGenerator<TrafficRecord> {
  for (let first = 1; first <= snapshot.count; first += PART_SIZE) {
    const last = Math.min(snapshot.count, first + PART_SIZE - 1);
    yield* await readRange(store, snapshot, { first, last });
  }
}

async function readRange(store: Store, snapshot: Snapshot, range: PositionRange): Promise<TrafficRecord[]> {
  try {
    const blocks = await requireBlocks(store, snapshot, getBlockNumbers(range));
    const lines = blocks.map((block) => parseBlock(block, snapshot.count));
    return decodeRange(range, lines);
  } catch (error) {
    const current = await store.readCurrent();
    if (current.snapshot.id === snapshot.id) throw error;
    throw new Error("The collection was replaced while it was being read. Run the command again.");
  }
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
