import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { checkFailingCamera, NO_COUNTS, type TrafficRecord } from "../../src/records/record.ts";
import { encodeRecord } from "../../src/store/block.ts";
import { readInputFile } from "../formats/formats.ts";
import type { InputFile } from "../formats/input-file.ts";
import { formatPosition, type InputPosition, type Problem } from "../formats/problem.ts";
import type { InputRow, RecordRow } from "../formats/validation.ts";
import { formatCount } from "../messages.ts";
import { createStatisticsCollector, MAX_CAMERAS, MAX_DAYS } from "../statistics.ts";
import { createInserter } from "./database.ts";

export interface CollectOptions {
  /** Rejects incomplete pages, and counts above 0 if `camera_ok` is `False`. The default is to warn, and to set the counts to 0. */
  strict?: boolean | undefined;
  /** Skips a record with the same `camera_ref` and timestamp as an earlier one. */
  skipDuplicates?: boolean | undefined;
}

export interface RowCounts {
  /** Rows to load. */
  count: number;
  /** Rows whose counts were set to 0. */
  zeroed: number;
  /** Skipped rows with the same `camera_ref` and timestamp as an earlier one. */
  duplicates: number;
}

type Report = (problem: Problem) => void;

/**
 * Takes the rows of a load, reports their problems, and counts what happens to them.
 * @param warn Gets problems that do not prevent the load.
 */
export function createRowCollector(
  database: DatabaseSync,
  options: CollectOptions,
  report: Report,
  warn: Report,
) {
  const { strict = false, skipDuplicates = false } = options;
  const counts: RowCounts = { count: 0, zeroed: 0, duplicates: 0 };
  /** The first file of each kind. */
  const kinds: { report?: string; records?: string } = {};
  /** The first file with a page, the largest `count` of a page, and the number of different records in pages. */
  const pages = { file: "", count: -1, held: 0 };
  const addSeen = database.prepare("INSERT OR IGNORE INTO seen (timestamp, camera_ref) VALUES (?, ?)");
  const addPaged = database.prepare("INSERT OR IGNORE INTO paged (id) VALUES (?)");
  const { stageRow, flush, checkSharedRefs, statistics } = createRowStager(database, counts, strict, report);
  return {
    counts,
    report,
    kinds,
    statistics,
    /** @param file The index of the row's file. */
    add(row: InputRow, file: number): void {
      if ("problems" in row) {
        row.problems.forEach(report);
        return;
      }
      kinds[row.image ? "report" : "records"] ??= row.file;
      const { id, timestamp, camera_ref } = row.record;
      if (row.isInPage) pages.held += Number(addPaged.run(id).changes);
      if (skipDuplicates && addSeen.run(timestamp, camera_ref).changes === 0) counts.duplicates++;
      else stageRow(row, file);
    },
    /** @param count The number of records in the collection of the page. */
    addPage(file: string, count: number): void {
      pages.file ||= file;
      pages.count = Math.max(pages.count, count);
    },
    /** Must be called after the last row. */
    end(): void {
      flush();
      checkKinds(kinds).forEach(report);
      checkSharedRefs().forEach(warn);
      checkPages(pages).forEach(strict ? report : warn);
    },
  };
}

export type RowCollector = ReturnType<typeof createRowCollector>;

/** Checks rows, counts them, and inserts them into the database. */
function createRowStager(database: DatabaseSync, counts: RowCounts, strict: boolean, report: Report) {
  const { insert, flush } = createInserter(database);
  const { add, get } = createBoundedStatistics(report);
  const cameras = createCameraCheck(report);
  return {
    flush,
    checkSharedRefs: cameras.checkSharedRefs,
    /** The statistics of the rows so far, without their sources. */
    statistics: () => get(cameras.count()),
    stageRow(row: RecordRow, file: number): void {
      const problem = checkHealth(row);
      const record = problem ? { ...row.record, ...NO_COUNTS } : row.record;
      counts.count++;
      if (problem) counts.zeroed++;
      if (problem && strict) report(problem);
      cameras.check(row);
      add(row, record);
      insert(toValues({ ...row, record }, file));
    },
  };
}

function toValues({ line, record, image }: RecordRow, file: number): SQLInputValue[] {
  const { id, camera_pk, camera_ref, timestamp } = record;
  const numbers = image ? [`${image.processedAt} ${image.capturedAt}`, null, null] : [null, id, camera_pk];
  return [file, line, ...numbers, camera_ref, timestamp, getLineEnd(encodeRecord(record))];
}

/** The end of a stored line, after the id and the camera_pk, neither of which contains a comma. */
function getLineEnd(line: string): string {
  return line.slice(line.indexOf(",", line.indexOf(",") + 1) + 1);
}

function checkHealth({ file, line, record }: RecordRow): Problem | undefined {
  const { camera_ok: value } = record;
  const message = checkFailingCamera(record);
  return message === undefined
    ? undefined
    : { file, line, field: "camera_ok", value, message, cause: "counts" };
}

/** The load assigns ids to the rows of reports, which would conflict with the ids of records. */
function checkKinds({ report, records }: RowCollector["kinds"]): Problem[] {
  if (report === undefined || records === undefined) return [];
  const message = `contains a report, but ${records} contains records; one load cannot contain both`;
  return [{ file: report, line: 0, message }];
}

/** The pages of a load should contain as many different records as the collection has. */
function checkPages({ file, count, held }: { file: string; count: number; held: number }): Problem[] {
  if (count < 0 || count === held) return [];
  const message = `the pages contain ${formatCount(held, "different record")}, but their count is ${count}`;
  return [{ file, line: 0, message }];
}

/** The statistics are in memory, so they have no more days than a collection may have. */
function createBoundedStatistics(report: Report) {
  const { add, countDays, getStatistics: statistics } = createStatisticsCollector();
  return {
    get: statistics,
    add({ file, line }: InputPosition, record: TrafficRecord): void {
      if (countDays() > MAX_DAYS) return;
      add(record);
      if (countDays() <= MAX_DAYS) return;
      const message = `exceeds the limit of ${MAX_DAYS} different days per collection`;
      report({ file, line, field: "timestamp", value: record.timestamp, message });
    },
  };
}

/**
 * For a given camera_pk the camera_ref is constant (specification, "Record", rule 4). The camera of an image in a report is known by
 * its camera_ref only.
 */
function createCameraCheck(report: Report) {
  const cameras = new Map<number | string, InputPosition & { ref: string }>();
  return {
    count: () => cameras.size,
    check({ file, line, record, image }: RecordRow): void {
      const { camera_pk: pk, camera_ref: ref } = record;
      const earlier = cameras.get(image ? ref : pk);
      if (earlier?.ref === ref) return;
      const problem = { file, line, field: "camera_ref", value: ref };
      if (earlier) {
        const known = `${JSON.stringify(earlier.ref)}, the camera_ref of camera_pk ${pk}`;
        const message = `differs from ${known} in ${formatPosition(earlier)}`;
        report({ ...problem, message, cause: "differs" });
      } else if (cameras.size < MAX_CAMERAS) {
        // A cell of CSV keeps the text in memory that it was cut from. A copy does not.
        const copy = Buffer.from(ref).toString();
        cameras.set(image ? copy : pk, { ref: copy, file, line });
      } else report({ ...problem, message: `exceeds the limit of ${MAX_CAMERAS} cameras per collection` });
    },
    /** Finds cameras that share a camera_ref, which is possible, but usually a mistake. */
    checkSharedRefs(): Problem[] {
      const owners = new Map<string, number | string>();
      const problems: Problem[] = [];
      for (const [pk, { ref: value, file, line }] of cameras) {
        const owner = owners.get(value) ?? pk;
        owners.set(value, owner);
        const earlier = cameras.get(owner);
        if (owner === pk || !earlier) continue;
        const message = `belongs to camera_pk ${owner} in ${formatPosition(earlier)} and camera_pk ${pk}`;
        problems.push({ file, line, field: "camera_ref", value, message, cause: "shared" });
      }
      return problems;
    },
  };
}

/** Shows how much of a step is done. */
export interface Progress {
  /**
   * @param done how many are done so far
   * @param total the new total, if it has changed
   */
  update(done: number, total?: number): void;
  close(): void;
}

export type ReadOptions = Pick<InputFile, "modelName" | "stdin">;

/** Reads the files of a load in sequence. */
export async function readFiles(
  files: string[],
  options: ReadOptions,
  { add, addPage, report }: RowCollector,
  update: Progress["update"],
): Promise<void> {
  const onRead = createProgress(files, update);
  const paths = new Set<string>();
  for (const [index, file] of files.entries()) {
    const path = file === "-" ? file : resolve(file);
    if (paths.has(path)) {
      report({ file, line: 0, message: "is named twice" });
      continue;
    }
    paths.add(path);
    const onPage = (count: number) => addPage(file, count);
    for await (const rows of readInputFile({ ...options, file, onRead, onPage })) {
      for (const row of rows) add(row, index);
    }
  }
}

/** The bytes of all files; undefined if they are not known, as those of standard input or of a missing file. */
function getTotalBytes(files: string[]): number | undefined {
  try {
    const found = files.map((file) => statSync(file));
    return found.every((file) => file.isFile()) ? found.reduce((sum, { size }) => sum + size, 0) : undefined;
  } catch {
    // Reading the file reports the error.
    return undefined;
  }
}

function createProgress(files: string[], update: Progress["update"]) {
  const toMegabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;
  const total = getTotalBytes(files);
  let read = 0;
  return (chunk: Uint8Array) => {
    read += chunk.length;
    update(toMegabytes(read), total && toMegabytes(total));
  };
}
