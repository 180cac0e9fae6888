import { type Stats, statSync } from "node:fs";
import type { Readable } from "node:stream";
import type { Progress } from "../../command-line/progress.ts";
import { explainTemporaryFileError, formatCount, formatValue } from "../../messages.ts";
import { readInputFile } from "../formats/formats.ts";
import { INPUT_SUFFIXES, type InputFile, listInputFiles } from "../formats/input-file.ts";
import { checkObject } from "../formats/json.ts";
import {
  BODY_RECORDS,
  createProblemList,
  formatPosition,
  formatProblem,
  IN_MEMORY_FILE,
  InputError,
  MAX_BODY_BYTES,
  NOT_LOADED,
  type Problem,
} from "../formats/problem.ts";
import type { InputRow } from "../formats/validation.ts";
import { encodeContent, getSourceNames, type SnapshotContent } from "../snapshot-content.ts";
import { openStagingDatabase, selectBlocks, sortRecords } from "./database.ts";
import { type CollectOptions, createRowCollector, type RowCounts } from "./row-collector.ts";

export interface StageOptions extends Pick<InputFile, "modelName">, CollectOptions {
  /** The source of the records. The default is the names of the files. */
  source?: string | undefined;
  /** How many records the files must have. */
  minRecords?: number | undefined;
  /** Shows the progress of a step: `reading`, with the number of megabytes, or `comparing`. */
  openStep?: ((step: string, options: { unit: string }) => Progress) | undefined;
  /** Whether the records are compared and sorted in memory. The default is a temporary file, because a load can be larger. */
  isInMemory?: boolean | undefined;
  /** How many problems are counted. The default is all. */
  maxProblems?: number | undefined;
  warn?: ((line: string) => void) | undefined;
}

/** The compared, numbered and sorted records of a load, in a database. */
export interface StagedRecords extends SnapshotContent, RowCounts {
  /** Closes the database, which deletes the records. */
  close(): void;
}

/**
 * Reads and checks all files of a load.
 * @param paths The paths of files, or of folders with files; `-` is standard input
 * @throws InputError if a line of the files cannot be loaded
 * @throws Error if the temporary file of the load cannot be written
 */
export function stageFiles(paths: readonly string[], options: StageOptions = {}): Promise<StagedRecords> {
  const inputs = paths.map((path) => ({ path, ...listInputFiles(path) }));
  const files = inputs.flatMap(({ files }) => files);
  for (const { path, skipped } of inputs) {
    const message = `skipped ${formatValue(skipped, 200)}: a folder loads its own files whose names end in ${INPUT_SUFFIXES}`;
    if (skipped.length > 0) options.warn?.(`Warning: ${formatProblem({ file: path, line: 0, message })}`);
  }
  const { modelName } = options;
  const entries = files.map((file) => (file === "-" ? undefined : statSync(file, { throwIfNoEntry: false })));
  const identities = entries.map((entry, index) => (entry ? `${entry.dev}/${entry.ino}` : files[index]));
  return stageRows(files, options, async function* ({ onProgress, ...events }) {
    const onRead = createByteCounter(entries, onProgress);
    for (const [index, file] of files.entries()) {
      const first = identities.indexOf(identities[index]);
      if (first < index) {
        // Otherwise, each of its records would be a problem.
        const message = `is the same file as ${formatPosition({ file: files[first] ?? "", line: 0 })}`;
        yield [{ problems: [{ file, line: 0, message }] }];
      } else yield* readInputFile({ file, modelName, onRead, ...events });
    }
  });
}

/** Counts the bytes that are read, and shows them as megabytes. There is no total if a size is not known, such as that of a pipe. */
function createByteCounter(entries: (Stats | undefined)[], onProgress: Progress["update"]) {
  const toMegabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;
  const sizes = entries.flatMap((entry) => (entry?.isFile() ? [entry.size] : []));
  const isKnown = sizes.length === entries.length;
  const total = isKnown ? toMegabytes(sizes.reduce((sum, size) => sum + size, 0)) : undefined;
  let read = 0;
  return (chunk: Uint8Array) => {
    read += chunk.length;
    onProgress(toMegabytes(read), total);
  };
}

/** The source of records that a program passes to the package. */
const RECORDS_SOURCE = "records of a program";

/** Nobody would see a warning, and a service of the package keeps its records in memory anyway. */
const PACKAGE_OPTIONS = { strict: true, isInMemory: true };

/** Checks records and pages in memory. In messages, a record is `records[5]`, and a page is `records`. */
export function stageRecords(
  records: Iterable<unknown>,
  { source = RECORDS_SOURCE, modelName }: Pick<StageOptions, "source" | "modelName"> = {},
): Promise<StagedRecords> {
  let number = 0;
  const locate = () => ({ file: IN_MEMORY_FILE, line: ++number });
  function* check(onPage: RowEvents["onPage"]) {
    const input = { file: "records", modelName, onPage };
    for (const value of records) yield* checkObject(value, input, locate, { line: 0, innerLines: [] });
  }
  const files = [IN_MEMORY_FILE, "records"];
  return stageRows(files, { ...PACKAGE_OPTIONS, source }, async function* ({ onPage }) {
    yield check(onPage);
  });
}

const MAX_BODY_PROBLEMS = 1_000;

/**
 * Checks the records in the body of a request, in any format. In messages, `body:5` is a line of CSV, and `body[5]` a record of JSON.
 * @throws TooLargeError
 */
export function stageBody(body: Readable, modelName: InputFile["modelName"]): Promise<StagedRecords> {
  const input = { file: "body", body, modelName, maxBytes: MAX_BODY_BYTES };
  const options = { ...PACKAGE_OPTIONS, source: RECORDS_SOURCE, maxProblems: MAX_BODY_PROBLEMS };
  const files = [input.file, BODY_RECORDS];
  return stageRows(files, options, ({ onPage }) => readInputFile({ ...input, onPage }));
}

/** What is called while rows are read. */
interface RowEvents {
  onPage: (file: string, count: number) => void;
  onWarning: (problem: Problem) => void;
  onProgress: Progress["update"];
}

/** @param files The names in messages, in their order */
async function stageRows(
  files: string[],
  options: StageOptions,
  read: (events: RowEvents) => AsyncIterable<Iterable<InputRow>>,
): Promise<StagedRecords> {
  const { isInMemory = false, maxProblems, minRecords = 0 } = options;
  const database = openStagingDatabase({ isInMemory });
  const problems = createProblemList(files, maxProblems);
  const warnings = createProblemList(files);
  const listener = { reject: problems.add, warn: warnings.add };
  const { add, addPage, compare, counts, getStatistics } = createRowCollector(database, options, listener);
  try {
    database.exec("BEGIN");
    await runStep("reading", options, async (onProgress) => {
      const events = { onPage: addPage, onWarning: listener.warn, onProgress };
      for await (const rows of read(events)) for (const row of rows) add(row);
    });
    await runStep("comparing", options, async () => {
      compare();
      for (const line of warnings.lines()) options.warn?.(`Warning: ${line}`);
      const lines = problems.lines();
      if (lines.length === 0 && counts.count < minRecords)
        lines.push(`The files contain ${describeCounts(counts)}, fewer than --min-records ${minRecords}.`);
      if (lines.length > 0) throw new InputError([...lines, NOT_LOADED].join("\n"));
      sortRecords(database);
    });
    database.exec("COMMIT");
    // Unlike closures, bound functions do not keep the collector in memory while the records are written.
    const listBlocks = selectBlocks.bind(null, database);
    const getSources = getSourceNames.bind(null, files, options.source);
    const content = encodeContent(counts.count, listBlocks, getStatistics(), getSources);
    return { ...counts, ...content, close: database.close.bind(database) };
  } catch (error) {
    database.close();
    throw explainTemporaryFileError(error);
  }
}

async function runStep(
  name: string,
  { openStep }: StageOptions,
  action: (onProgress: Progress["update"]) => Promise<void>,
): Promise<void> {
  const step = openStep?.(name, { unit: "MB" });
  await action((done, total) => step?.update(done, total)).finally(() => step?.close());
}

/** Formats the number of records, and how many of them were corrected or skipped. */
export function describeCounts({ count, zeroed, duplicates }: RowCounts): string {
  const remarks: string[] = [];
  if (zeroed > 0) remarks.push(describeZeroed(zeroed));
  const skipped = `skipped ${formatCount(duplicates, "record")}`;
  if (duplicates > 0) remarks.push(`${skipped} with the same camera_ref and timestamp as an earlier one`);
  const records = formatCount(count, "record");
  return remarks.length > 0 ? `${records} (${remarks.join("; ")})` : records;
}

export function describeZeroed(zeroed: number): string {
  return `set the counts of ${formatCount(zeroed, "record")} with camera_ok "False" to 0`;
}
