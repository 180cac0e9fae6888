import { findOrigin } from "../src/http/request.ts";
import { COLLECTION_PATH } from "../src/records/envelope.ts";
import type { TrafficRecord } from "../src/records/record.ts";
import type { State } from "../src/store/store.ts";
import { openProgress, type Progress } from "../tools/command-line/progress.ts";
import { askStore } from "./ask-store.ts";
import { FORMATS, LOSSY_FORMATS } from "./outputs/formats.ts";
import { writeOutput } from "./outputs/output.ts";
import { writePages } from "./outputs/pages.ts";
import { rangesOf } from "./targets/ranges.ts";
import type { Target } from "./targets/target.ts";
import { chooseStore, readVariables, type StoreChoice, targets } from "./targets/targets.ts";

const RECORD_FORMATS = { ...FORMATS, ...LOSSY_FORMATS };

/** The values of `--format`. */
export const EXPORT_FORMATS = [...Object.keys(RECORD_FORMATS), "pages"];

export interface ExportOptions extends StoreChoice {
  format: keyof typeof RECORD_FORMATS | "pages";
  /** A path; `-` is standard output. */
  out: string;
}

/** Where `npm start` serves, for links where no `PUBLIC_ORIGIN` is set. */
const LOCAL_ORIGIN = "http://localhost:8787";

/**
 * Writes everything that is loaded, a range of positions at a time. What it writes is of one state: records that are
 * added meanwhile stay out, and if the collection is replaced it fails.
 * @throws if nothing is loaded
 */
export async function exportRecords({ format, out, ...choice }: ExportOptions): Promise<void> {
  const target = targets[await chooseStore(choice)];
  const loaded = await askStore(target, choice);
  if (!loaded) throw new Error("Nothing is loaded.");
  const { state } = loaded;
  const write = format === "pages" ? await pagesOf(state, choice) : RECORD_FORMATS[format];
  const progress = openProgress("exporting", state.count, { out });
  const records = readAll(target, state, format === "pages", choice, progress);
  await writeOutput(out, write(records)).finally(progress.close);
  if (out !== "-") console.log(`Exported ${state.count} record${state.count === 1 ? "" : "s"}.`);
}

async function pagesOf({ count }: State, { config }: StoreChoice) {
  const collection = await collectionUrl(config);
  return (records: AsyncIterable<TrafficRecord>) => writePages(records, count, collection);
}

async function collectionUrl(config: string | undefined): Promise<string> {
  const { PUBLIC_ORIGIN } = await readVariables(config);
  return (
    findOrigin(LOCAL_ORIGIN, PUBLIC_ORIGIN === undefined ? undefined : String(PUBLIC_ORIGIN)) +
    COLLECTION_PATH
  );
}

async function* readAll(
  target: Target,
  state: State,
  newestFirst: boolean,
  choice: StoreChoice,
  progress: Progress,
): AsyncGenerator<TrafficRecord> {
  const ranges = rangesOf(state);
  let read = 0;
  for (const range of newestFirst ? ranges.reverse() : ranges) {
    const records = await target
      .readRecords(state, range, choice)
      .catch(async (error) => Promise.reject(await explain(error, target, state, choice)));
    yield* newestFirst ? records.reverse() : records;
    read += records.length;
    progress.update(read);
  }
}

/** Records that are missing are no fault of the store if it holds another version by now. */
async function explain(error: unknown, target: Target, state: State, choice: StoreChoice): Promise<unknown> {
  const loaded = await target.read(choice);
  if (loaded?.state.version === state.version) return error;
  return new Error("The collection was replaced while it was exported; export it once more.", {
    cause: error,
  });
}
