import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import type { Progress } from "../../command-line/progress.ts";
import { explainTemporaryFileError, formatCount, formatValue } from "../../messages.ts";
import { readInputFile } from "../formats/formats.ts";
import { INPUT_SUFFIXES, type InputFile, listInputFiles } from "../formats/input-file.ts";
import { checkObject } from "../formats/json.ts";
import {
  BODY_RECORDS,
  createProblemList,
  formatProblem,
  IN_MEMORY_FILE,
  InputError,
} from "../formats/problem.ts";
import { encodeContent, getSourceNames, type SnapshotContent } from "../snapshot-content.ts";
import {
  assignReportIds,
  findConflicts,
  openStagingDatabase,
  selectBlocks,
  sortRecords,
} from "./database.ts";
import {
  type CollectOptions,
  createRowCollector,
  type RowCollector,
  type RowCounts,
} from "./row-collector.ts";

/** The last line of an error message about input. */
export const NOT_LOADED = "Nothing was loaded.";

export interface StageOptions extends Pick<InputFile, "modelName" | "stdin">, CollectOptions {
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
  const getSources = (hash: string) => getSourceNames(files, options.source, hash);
  const { modelName, stdin } = options;
  return stageRows(files, getSources, options, async ({ add, addPage }, update) => {
    const onRead = createByteCounter(files, update);
    for (const [index, file] of files.entries()) {
      const onPage = (count: number) => addPage(file, count);
      for await (const rows of readInputFile({ file, modelName, stdin, onRead, onPage }))
        for (const row of rows) add(row, index);
    }
  });
}

/** Counts the bytes that are read, and shows them as megabytes. */
function createByteCounter(files: string[], update: Progress["update"]) {
  const toMegabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;
  const sizes = files.flatMap(listSize);
  const isKnown = sizes.length === files.length;
  const total = isKnown ? toMegabytes(sizes.reduce((sum, size) => sum + size, 0)) : undefined;
  let read = 0;
  return (chunk: Uint8Array) => {
    read += chunk.length;
    update(toMegabytes(read), total);
  };
}

/** Returns no size if it is not known, such as that of standard input or of a missing file. */
function listSize(file: string): number[] {
  try {
    const found = statSync(file);
    return found.isFile() ? [found.size] : [];
  } catch {
    // Reading the file reports the error.
    return [];
  }
}

/** The source of records that a program passes to the package. */
const RECORDS_SOURCE = "records of a program";

/** The names of these records in messages: `records[5]`, and `records` for a page of them. */
const RECORDS_NAMES = [IN_MEMORY_FILE, "records"];

/** Checks records and pages in memory, as `stageBody` checks those in the body of a request. */
export function stageRecords(records: Iterable<unknown>, source = RECORDS_SOURCE): Promise<StagedRecords> {
  return stageRows(
    RECORDS_NAMES,
    () => [source],
    { strict: true, isInMemory: true },
    async ({ add, addPage }) => {
      let number = 0;
      const locate = () => ({ file: IN_MEMORY_FILE, line: ++number });
      const input = { file: "records", onPage: (count: number) => addPage("records", count) };
      for (const value of records)
        for (const row of checkObject(value, input, locate, { line: 0, innerLines: [] })) add(row, 0);
    },
  );
}

/** The names of a body in messages: `body:5` is a line of CSV, and `body[5]` a record of JSON. */
const BODY_NAMES = ["body", BODY_RECORDS];

/** Limits of a body, because it is read while the service responds: about 1,200,000 records. */
const MAX_BODY_BYTES = 64_000_000;
const MAX_BODY_PROBLEMS = 1_000;

/**
 * Checks the records in the body of a request, in any format.
 * @throws TooLargeError
 */
export function stageBody(body: Readable, modelName: InputFile["modelName"]): Promise<StagedRecords> {
  return stageRows(
    BODY_NAMES,
    () => [RECORDS_SOURCE],
    { strict: true, isInMemory: true, maxProblems: MAX_BODY_PROBLEMS },
    async ({ add, addPage }) => {
      const [file = ""] = BODY_NAMES;
      const onPage = (count: number) => addPage(file, count);
      for await (const rows of readInputFile({ file, body, modelName, onPage, maxBytes: MAX_BODY_BYTES })) {
        for (const row of rows) add(row, "problems" in row ? 0 : BODY_NAMES.indexOf(row.file));
      }
    },
  );
}

async function stageRows(
  files: string[],
  getSources: (hash: string) => string[],
  options: StageOptions,
  read: (collector: RowCollector, onRead: Progress["update"]) => Promise<void>,
): Promise<StagedRecords> {
  const database = openStagingDatabase(options);
  const problems = createProblemList(files, options.maxProblems);
  const warnings = createProblemList(files);
  const collector = createRowCollector(database, options, problems.add, warnings.add);
  try {
    database.exec("BEGIN");
    await runStep("reading", options, (step) => read(collector, (done, total) => step?.update(done, total)));
    collector.end();
    for (const line of warnings.lines()) options.warn?.(`Warning: ${line}`);
    await runStep("comparing", options, async () => {
      compareRecords(database, files, collector);
      const lines = problems.lines();
      const { counts } = collector;
      const { minRecords = 0 } = options;
      if (lines.length === 0 && counts.count < minRecords)
        lines.push(`The files contain ${describeCounts(counts)}, fewer than --min-records ${minRecords}.`);
      if (lines.length > 0) throw new InputError([...lines, NOT_LOADED].join("\n"));
      sortRecords(database);
    });
    database.exec("COMMIT");
    // Unlike closures, bound functions do not keep the collector in memory while the records are written.
    const listBlocks = selectBlocks.bind(null, database);
    const content = encodeContent(collector.counts.count, listBlocks, collector.getStatistics(), getSources);
    return { ...collector.counts, ...content, close: database.close.bind(database) };
  } catch (error) {
    database.close();
    throw explainTemporaryFileError(error);
  }
}

function compareRecords(database: DatabaseSync, files: string[], { firstFiles, reject }: RowCollector): void {
  const { images, records } = firstFiles;
  const hasBoth = images !== undefined && records !== undefined;
  if (hasBoth) return;
  if (images !== undefined) assignReportIds(database);
  for (const problem of findConflicts(database, files)) reject(problem);
}

async function runStep(name: string, { openStep }: StageOptions, action: (step?: Progress) => Promise<void>) {
  const step = openStep?.(name, { unit: "MB" });
  return action(step).finally(() => step?.close());
}

/** Formats the number of records, and how many of them were corrected or skipped. */
export function describeCounts({ count, zeroed, duplicates }: RowCounts): string {
  const remarks: string[] = [];
  if (zeroed > 0) remarks.push(describeZeroed(zeroed));
  if (duplicates > 0)
    remarks.push(
      `skipped ${formatCount(duplicates, "record")} with the same camera_ref and timestamp as an earlier one`,
    );
  const records = formatCount(count, "record");
  return remarks.length > 0 ? `${records} (${remarks.join("; ")})` : records;
}

export function describeZeroed(zeroed: number): string {
  return `set the counts of ${formatCount(zeroed, "record")} with camera_ok "False" to 0`;
}
