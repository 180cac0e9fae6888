import { type FormatName, WRITERS } from "../../data/formats/formats.ts";
import { writePages } from "../../data/formats/json.ts";
import { writeOutput } from "../../data/formats/output-file.ts";
import { formatCount } from "../../data/formatting.ts";
import { readRecords } from "../../data/stored-records.ts";
import { readConfiguration } from "../../data/stores/configuration.ts";
import { useStore } from "../../data/stores/open.ts";
import type { StoreChoice } from "../../data/stores/store-choice.ts";
import { findOrigin } from "../../src/http/request.ts";
import { COLLECTION_PATH } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import type { State } from "../../src/store/store.ts";
import { openProgress, type Progress } from "../command-line/progress.ts";

/** The values of `--format`. */
export const EXPORT_FORMATS = [...Object.keys(WRITERS), "pages"];

export interface ExportOptions extends StoreChoice {
  format: FormatName | "pages";
  /** A path; `-` is standard output. */
  out: string;
}

/** Where `npm start` serves, for links where no `PUBLIC_ORIGIN` is set. */
const LOCAL_ORIGIN = "http://localhost:8787";

/**
 * Writes everything that is loaded. What it writes is of one state: records that are added meanwhile stay out, and if the
 * collection is replaced it fails.
 * @throws Error if nothing is loaded
 */
export async function exportRecords({ format, out, ...choice }: ExportOptions): Promise<void> {
  await useStore(choice, async ({ store }) => {
    const state = await store.readState({ newest: true });
    if (state.load === "") throw new Error("Nothing is loaded.");
    const progress = openProgress("exporting", state.count, { out });
    const records = readRecords(store, state, { newestFirst: format === "pages" });
    const write = format === "pages" ? await pagesOf(state, choice) : WRITERS[format];
    await writeOutput(out, write(showProgress(records, progress))).finally(progress.close);
    if (out !== "-") console.log(`Exported ${formatCount(state.count, "record")}.`);
  });
}

async function pagesOf({ count }: State, { config }: StoreChoice) {
  const { PUBLIC_ORIGIN } = (await readConfiguration(config)).vars ?? {};
  const publicOrigin = PUBLIC_ORIGIN === undefined ? undefined : String(PUBLIC_ORIGIN);
  const collection = findOrigin(LOCAL_ORIGIN, publicOrigin) + COLLECTION_PATH;
  return (records: AsyncIterable<TrafficRecord>) => writePages(records, count, collection);
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
