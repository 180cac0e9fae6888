import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { NO_COUNTS } from "../../../src/records/road-users.ts";
import { checkFailingCamera } from "../../../src/records/schema.ts";
import { encodeRecord } from "../../../src/store/block.ts";
import { formatCount } from "../../messages.ts";
import { formatPosition, type InputPosition, type Problem } from "../formats/problem.ts";
import type { InputRow, RecordRow } from "../formats/validation.ts";
import { createInserter } from "./database.ts";
import { createStatisticsCollector, MAX_CAMERAS, MAX_DAYS } from "./statistics.ts";

export interface CollectOptions {
  /** Rejects incomplete pages, and counts above 0 if `camera_ok` is `False`. By default, a page causes a warning, and counts become 0. */
  strict?: boolean | undefined;
  /** Skips a record with the same `camera_ref` and timestamp as an earlier one. */
  skipDuplicates?: boolean | undefined;
}

export interface RowCounts {
  /** The number of records to load. */
  count: number;
  /** The number of records whose counts were set to 0. */
  zeroed: number;
  /** The number of skipped records. */
  duplicates: number;
}

type Report = (problem: Problem) => void;

/**
 * Collects the rows of a load, and reports their problems.
 * @param warn Called with problems that do not prevent the load
 */
export function createRowCollector(
  database: DatabaseSync,
  options: CollectOptions,
  report: Report,
  warn: Report,
) {
  const { strict = false, skipDuplicates = false } = options;
  const counts: RowCounts = { count: 0, zeroed: 0, duplicates: 0 };
  /** The first report, and the first file with records. */
  const kinds: { report?: string; records?: string } = {};
  /** The first file with a page, the largest `count` of a page, and the number of different records in all pages. */
  const pages = { file: "", count: -1, records: 0 };
  const addSeen = database.prepare("INSERT OR IGNORE INTO seen (timestamp, camera_ref) VALUES (?, ?)");
  const addPaged = database.prepare("INSERT OR IGNORE INTO paged (id) VALUES (?)");
  const { stageRow, flush, checkSharedRefs, getStatistics } = createRowStager(
    database,
    counts,
    strict,
    report,
  );
  return {
    counts,
    report,
    kinds,
    getStatistics,
    /** @param file The index of the file */
    add(row: InputRow, file: number): void {
      if ("problems" in row) {
        row.problems.forEach(report);
        return;
      }
      kinds[row.image ? "report" : "records"] ??= row.file;
      const { id, timestamp, camera_ref } = row.record;
      if (row.isInPage) pages.records += Number(addPaged.run(id).changes);
      if (skipDuplicates && addSeen.run(timestamp, camera_ref).changes === 0) counts.duplicates++;
      else stageRow(row, file);
    },
    /** @param count The `count` of the page */
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

/** Checks and counts rows, and inserts them into the database. */
function createRowStager(database: DatabaseSync, counts: RowCounts, strict: boolean, report: Report) {
  const { insert, flush } = createInserter(database);
  const { add, getStatistics } = createStatisticsCollector();
  const cameras = createCameraCheck(report);
  return {
    flush,
    checkSharedRefs: cameras.checkSharedRefs,
    getStatistics: () => getStatistics(cameras.count()),
    stageRow(row: RecordRow, file: number): void {
      const problem = checkHealth(row);
      const record = problem ? { ...row.record, ...NO_COUNTS } : row.record;
      counts.count++;
      if (problem) counts.zeroed++;
      if (problem && strict) report(problem);
      cameras.check(row);
      if (!add(record)) {
        const { file, line } = row;
        const message = `exceeds the limit of ${MAX_DAYS} different days per collection`;
        report({ file, line, field: "timestamp", value: record.timestamp, message });
      }
      insert(toValues({ ...row, record }, file));
    },
  };
}

function toValues({ line, record, image }: RecordRow, file: number): SQLInputValue[] {
  const { id, camera_pk, camera_ref, timestamp } = record;
  const numbers = image ? [`${image.processedAt} ${image.capturedAt}`, null, null] : [null, id, camera_pk];
  const lineEnd = encodeRecord(record).replace(/^[^,]*,[^,]*,/, "");
  return [file, line, ...numbers, camera_ref, timestamp, lineEnd];
}

function checkHealth({ file, line, record }: RecordRow): Problem | undefined {
  const { camera_ok: value } = record;
  const message = checkFailingCamera(record);
  return message === undefined
    ? undefined
    : { file, line, field: "camera_ok", value, message, cause: "counts" };
}

/** The load assigns ids to the rows of reports. These ids could conflict with the ids of records. */
function checkKinds({ report, records }: RowCollector["kinds"]): Problem[] {
  if (report === undefined || records === undefined) return [];
  const message = `contains a report, but ${records} contains records; one load cannot contain both`;
  return [{ file: report, line: 0, message }];
}

/** Compares the number of different records in all pages with their `count`. */
function checkPages({ file, count, records }: { file: string; count: number; records: number }): Problem[] {
  if (count < 0 || count === records) return [];
  const message = `the pages contain ${formatCount(records, "different record")}, but their count is ${count}`;
  return [{ file, line: 0, message }];
}

/**
 * Checks that the camera_ref of a camera_pk is constant (specification, "Record", rule 4). An image in a report identifies its camera
 * only by the camera_ref.
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
        // A string that was cut from a file would keep the rest of the file in memory. A copy does not.
        const copy = Buffer.from(ref).toString();
        cameras.set(image ? copy : pk, { ref: copy, file, line });
      } else report({ ...problem, message: `exceeds the limit of ${MAX_CAMERAS} cameras per collection` });
    },
    /** Two cameras with the same camera_ref are valid, but usually a mistake. */
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
