import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { checkFailing, NO_COUNTS, type TrafficRecord } from "../../src/records/record.ts";
import { encodeRecord } from "../../src/store/block.ts";
import { readInputFile } from "../formats/formats.ts";
import type { InputFile } from "../formats/input-file.ts";
import { formatPosition, type InputPosition, type Problem } from "../formats/problem.ts";
import type { InputRow, RecordRow } from "../formats/validation.ts";
import { formatCount } from "../messages.ts";
import { gatherStatistics, MOST_CAMERAS, MOST_DAYS } from "../statistics.ts";
import { createInserter } from "./database.ts";

export interface IntakeOptions {
  /**
   * Reports counts above 0 in a record whose `camera_ok` is `False` as a problem; otherwise, they are set to 0. Reports pages
   * that do not hold all records that they count as a problem; otherwise, as a warning.
   */
  strict?: boolean | undefined;
  /** Skips a record with the camera and the timestamp of an earlier one; otherwise, it is a problem. */
  skipDuplicates?: boolean | undefined;
}

export interface IntakeCounts {
  /** Rows to load. */
  count: number;
  /** Rows whose counts were set to 0. */
  zeroed: number;
  /** Rows with the camera and the timestamp of an earlier one. */
  duplicates: number;
  /** Different records in pages. */
  paged: number;
}

/** Takes the rows of a load, reports their problems, and counts what happens to them. */
export function createIntake(
  database: DatabaseSync,
  { strict = false, skipDuplicates = false }: IntakeOptions,
  report: (problem: Problem) => void,
) {
  const staged = createInserter(database);
  const gathering = gatherStatistics();
  const cameras = createCameraCheck(report);
  const { kinds, checkKind } = createKindCheck(report);
  const isDuplicate = createDuplicateSearch(database, "seen");
  const isRepeated = createDuplicateSearch(database, "paged");
  const counts: IntakeCounts = { count: 0, zeroed: 0, duplicates: 0, paged: 0 };
  /** The statistics are in memory, so they hold no more than a collection may have. */
  const gather = (row: RecordRow, record: TrafficRecord) => {
    if (!cameras.check(row) || gathering.countDays() > MOST_DAYS) return;
    gathering.add(record);
    if (gathering.countDays() <= MOST_DAYS) return;
    const { file, line } = row;
    const message = `is on a day too many; a collection has records of at most ${MOST_DAYS} days`;
    report({ file, line, field: "timestamp", value: record.timestamp, message });
  };
  const keep = (row: RecordRow, file: number) => {
    const problem = findHealthProblem(row);
    const record = problem ? { ...row.record, ...NO_COUNTS } : row.record;
    counts.count++;
    if (problem) counts.zeroed++;
    if (problem && strict) report(problem);
    gather(row, record);
    staged.insert(toValues({ ...row, record }, file));
  };
  return {
    counts,
    report,
    kinds,
    /** The statistics of the rows so far, without their sources. */
    statistics: () => gathering.statistics(cameras.count()),
    /** @param file the index of the row's file */
    take(row: InputRow, file: number): void {
      if ("problems" in row) {
        row.problems.forEach(report);
        return;
      }
      checkKind(row);
      if (row.isInPage && !isRepeated(row)) counts.paged++;
      if (skipDuplicates && isDuplicate(row)) counts.duplicates++;
      else keep(row, file);
    },
    /** Must be called after the last row. */
    end: staged.flush,
  };
}

export type Intake = ReturnType<typeof createIntake>;

function toValues({ line, record, image }: RecordRow, file: number): SQLInputValue[] {
  const { id, camera_pk, camera_ref, timestamp } = record;
  const numbers = image ? [`${image.processedAt} ${image.capturedAt}`, null, null] : [null, id, camera_pk];
  return [file, line, ...numbers, camera_ref, timestamp, lineEnd(encodeRecord(record))];
}

/** The end of a stored line, after the id and the camera_pk, neither of which contains a comma. */
function lineEnd(line: string): string {
  return line.slice(line.indexOf(",", line.indexOf(",") + 1) + 1);
}

function findHealthProblem({ file, line, record }: RecordRow): Problem | undefined {
  const message = checkFailing(record);
  return message === undefined
    ? undefined
    : { file, line, field: "camera_ok", value: record.camera_ok, message };
}

/** The load assigns ids to the rows of reports, which would conflict with the ids of records. */
function createKindCheck(report: (problem: Problem) => void) {
  /** The first file of each kind. */
  const kinds: { report?: string; records?: string } = {};
  const checkKind = ({ file, image }: RecordRow) => {
    const kind = image ? "report" : "records";
    if (kinds[kind] !== undefined) return;
    kinds[kind] = file;
    const message = `contains a report, but ${kinds.records} contains records; one load cannot contain both`;
    if (kinds.report && kinds.records) report({ file: kinds.report, line: 0, message });
  };
  return { kinds, checkKind };
}

/**
 * For a given camera_pk the camera_ref is constant (specification, "Record", rule 4). The camera of an image in a report is known by
 * its camera_ref only.
 */
function createCameraCheck(report: (problem: Problem) => void) {
  const cameras = new Map<number | string, InputPosition & { ref: string }>();
  let isFull = false;
  return {
    count: () => cameras.size,
    /** @returns false for a record of a camera too many */
    check({ file, line, record, image }: RecordRow): boolean {
      const { camera_pk: pk, camera_ref: ref } = record;
      const earlier = cameras.get(image ? ref : pk);
      if (earlier?.ref === ref) return true;
      const problem = (message: string) => report({ file, line, field: "camera_ref", value: ref, message });
      if (earlier) {
        const known = `${JSON.stringify(earlier.ref)}, the camera_ref of camera_pk ${pk}`;
        problem(`differs from ${known} in ${formatPosition(earlier)}`);
        return true;
      }
      if (cameras.size < MOST_CAMERAS) {
        // A cell of CSV keeps the text in memory that it was cut from. A copy does not.
        const copy = Buffer.from(ref).toString();
        cameras.set(image ? copy : pk, { ref: copy, file, line });
        return true;
      }
      if (!isFull) problem(`is that of a camera too many; a collection has at most ${MOST_CAMERAS} cameras`);
      isFull = true;
      return false;
    },
  };
}

/** The camera of an image in a report is known by its camera_ref only. */
function createDuplicateSearch(database: DatabaseSync, table: "seen" | "paged") {
  const insert = database.prepare(`INSERT OR IGNORE INTO ${table} (timestamp, camera) VALUES (?, ?)`);
  return ({ record: { timestamp, camera_pk, camera_ref }, image }: RecordRow): boolean =>
    insert.run(timestamp, image ? camera_ref : String(camera_pk)).changes === 0;
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

/**
 * Reads the files of a load, one after the other.
 * @returns problems of the pages in them
 */
export async function readFiles(
  files: string[],
  options: ReadOptions,
  intake: Intake,
  update: Progress["update"],
): Promise<Problem[]> {
  const pages: Pages = { file: "", most: -1 };
  const onRead = createProgress(files, update);
  const paths = files.map((file) => (file === "-" ? file : resolve(file)));
  for (const [index, file] of files.entries()) {
    if (paths.indexOf(paths[index] ?? "") < index) {
      intake.report({ file, line: 0, message: "is named twice" });
      continue;
    }
    const onPage: InputFile["onPage"] = (count) => {
      pages.file ||= file;
      pages.most = Math.max(pages.most, count);
    };
    for await (const rows of readInputFile({ ...options, file, onRead, onPage })) {
      for (const row of rows) intake.take(row, index);
    }
  }
  return comparePages(pages, intake.counts.paged);
}

/** The pages of a load. */
interface Pages {
  /** The first file with a page. */
  file: string;
  /** The largest number of records that a page counts; -1 without pages. */
  most: number;
}

/**
 * Compares pages with what they count.
 * @param held the number of different records in them
 */
function comparePages({ file, most }: Pages, held: number): Problem[] {
  if (most < 0 || held === most) return [];
  const message = `the pages hold ${formatCount(held, "different record")}, but count ${most}`;
  return [{ file, line: 0, message }];
}

/** The bytes of all files; undefined if they are not known, as those of standard input or of a missing file. */
function measureFiles(files: string[]): number | undefined {
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
  const total = measureFiles(files);
  let read = 0;
  return (chunk: Uint8Array) => {
    read += chunk.length;
    update(toMegabytes(read), total && toMegabytes(total));
  };
}
