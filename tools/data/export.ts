import { readRecords } from "../../data/collection.ts";
import { type FormatName, WRITERS } from "../../data/formats/formats.ts";
import { writeOutput } from "../../data/formats/output-file.ts";
import { formatCount } from "../../data/formatting.ts";
import type { Progress } from "../../data/staging/read-files.ts";
import { useStore } from "../../data/stores/open.ts";
import type { StoreChoice } from "../../data/stores/store-choice.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { openProgress } from "../command-line/progress.ts";

export interface ExportOptions extends StoreChoice {
  format: FormatName;
  /** A path; `-` is standard output. */
  out: string;
}

/**
 * Writes everything that is loaded, newest first. What it writes is of one state: if the collection is replaced meanwhile, it
 * fails.
 * @throws Error if nothing is loaded
 */
export async function exportRecords({ format, out, ...choice }: ExportOptions): Promise<void> {
  await useStore(choice, async ({ store }) => {
    const { state } = await store.readState(undefined, true);
    if (state.load === "") throw new Error("Nothing is loaded.");
    const progress = openProgress("exporting", { total: state.count, out });
    const records = showProgress(readRecords(store, state), progress);
    await writeOutput(out, WRITERS[format](records)).finally(progress.close);
    if (out !== "-") console.log(`Exported ${formatCount(state.count, "record")}.`);
  });
}

async function* showProgress(
  records: AsyncIterable<TrafficRecord>,
  progress: Progress,
): AsyncGenerator<TrafficRecord> {
  let read = 0;
  for await (const record of records) {
    if (++read % 1_000 === 0) progress.update(read);
    yield record;
  }
}
