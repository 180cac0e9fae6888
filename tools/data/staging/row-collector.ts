import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { NO_COUNTS } from "../../../src/records/road-users.ts";
import { checkFailingCamera } from "../../../src/records/schema.ts";
import { encodeLineEnd } from "../../../src/store/block.ts";
import { formatCount } from "../../messages.ts";
import { formatPosition, type InputPosition, type Problem } from "../formats/problem.ts";
import type { InputRow, ValidRow } from "../formats/validation.ts";
import { prepareInsert } from "./database.ts";
import { createStatisticsCollector, MAX_CAMERAS, MAX_DAYS } from "./statistics.ts";

export interface CollectOptions {
  /** Rejects incomplete pages, and counts above 0 if `camera_ok` is `False`. By default, a page causes a warning, and counts become 0. */
  strict?: boolean | undefined;
  /** Skips a record with the same `camera_ref` and timestamp as an earlier one. */
  skipDuplicates?: boolean | undefined;
}

export interface RowCounts {
  count: number;
  zeroed: number;
  duplicates: number;
}

type ReportProblem = (problem: Problem) => void;

/**
 * Collects the rows of a load, and checks them.
 * @param reject Called with problems that prevent the load
 * @param warn Called with problems that do not prevent the load
 */
export function createRowCollector(
  database: DatabaseSync,
  options: CollectOptions,
  reject: ReportProblem,
  warn: ReportProblem,
) {
  const { strict = false, skipDuplicates = false } = options;
  const counts: RowCounts = { count: 0, zeroed: 0, duplicates: 0 };
  const firstFiles: { images?: string; records?: string } = {};
  /** The first file with a page, and the largest `count` of the pages. */
  let pages: { file: string; count: number } | undefined;
  let recordsInPages = 0;
  const addSeen = database.prepare("INSERT OR IGNORE INTO seen (timestamp, camera_ref) VALUES (?, ?)");
  const addPaged = database.prepare("INSERT OR IGNORE INTO paged (id) VALUES (?)");
  const stager = createRowStager(database, { counts, strict, reject });
  /** Notes what is checked after the last row. It counts for skipped rows, too. */
  const noteRow = (row: ValidRow) => {
    if (row.kind === "image") {
      firstFiles.images ??= row.file;
      return;
    }
    firstFiles.records ??= row.file;
    if (row.isInPage) recordsInPages += Number(addPaged.run(row.record.id).changes);
  };
  return {
    counts,
    reject,
    firstFiles,
    getStatistics: stager.getStatistics,
    /** @param file The index of the file */
    add(row: InputRow, file: number): void {
      if ("problems" in row) {
        row.problems.forEach(reject);
        return;
      }
      noteRow(row);
      const { timestamp, camera_ref } = row.record;
      if (skipDuplicates && addSeen.run(timestamp, camera_ref).changes === 0) counts.duplicates++;
      else stager.stageRow(row, file);
    },
    addPage(file: string, count: number): void {
      pages = pages ? { ...pages, count: Math.max(pages.count, count) } : { file, count };
    },
    /** Must be called after the last row. */
    end(): void {
      checkKinds(firstFiles).forEach(reject);
      stager.checkSharedRefs().forEach(warn);
      if (pages) checkPages(pages, recordsInPages).forEach(strict ? reject : warn);
    },
  };
}

export type RowCollector = ReturnType<typeof createRowCollector>;

function createRowStager(
  database: DatabaseSync,
  { counts, strict, reject }: { counts: RowCounts; strict: boolean; reject: ReportProblem },
) {
  const insert = prepareInsert(database);
  const { add, getStatistics } = createStatisticsCollector();
  const cameras = createCameraCheck(reject);
  return {
    checkSharedRefs: cameras.checkSharedRefs,
    getStatistics: () => getStatistics(cameras.count()),
    stageRow(row: ValidRow, file: number): void {
      const problem = checkHealth(row);
      const observation = problem ? { ...row.record, ...NO_COUNTS } : row.record;
      counts.count++;
      if (problem) counts.zeroed++;
      if (problem && strict) reject(problem);
      cameras.check(row);
      if (!add(observation)) {
        const { file, line } = row;
        const message = `exceeds the limit of ${MAX_DAYS} different days per collection`;
        reject({ file, line, field: "timestamp", value: observation.timestamp, message });
      }
      const { camera_ref, timestamp } = observation;
      insert.run(file, row.line, ...getIds(row), camera_ref, timestamp, encodeLineEnd(observation));
    },
  };
}

/** Returns the columns `image`, `id` and `camera_pk`. */
function getIds(row: ValidRow): SQLInputValue[] {
  if (row.kind === "image") return [`${row.processedAt} ${row.capturedAt}`, null, null];
  return [null, row.record.id, row.record.camera_pk];
}

function checkHealth({ file, line, record }: ValidRow): Problem | undefined {
  const { camera_ok: value } = record;
  const message = checkFailingCamera(record);
  return message === undefined
    ? undefined
    : { file, line, field: "camera_ok", value, message, cause: "counts" };
}

/** The ids that a load assigns to images could be those of records. */
function checkKinds({ images, records }: RowCollector["firstFiles"]): Problem[] {
  if (images === undefined || records === undefined) return [];
  const message = `contains a report, but ${records} contains records; one load cannot contain both`;
  return [{ file: images, line: 0, message }];
}

/** @param records How many different records the pages contain */
function checkPages({ file, count }: { file: string; count: number }, records: number): Problem[] {
  if (count === records) return [];
  const message = `the pages contain ${formatCount(records, "different record")}, but their count is ${count}`;
  return [{ file, line: 0, message }];
}

/**
 * Checks that the camera_ref of a camera_pk is constant (specification, "Record", rule 4). An image in a report identifies its camera
 * only by the camera_ref.
 */
function createCameraCheck(reject: ReportProblem) {
  const cameras = new Map<number | string, InputPosition & { ref: string }>();
  return {
    count: () => cameras.size,
    check(row: ValidRow): void {
      const { file, line } = row;
      const ref = row.record.camera_ref;
      const key = row.kind === "image" ? ref : row.record.camera_pk;
      const earlier = cameras.get(key);
      if (earlier?.ref === ref) return;
      const problem = { file, line, field: "camera_ref", value: ref };
      if (earlier) {
        const known = `${JSON.stringify(earlier.ref)}, the camera_ref of camera_pk ${key}`;
        const message = `differs from ${known} in ${formatPosition(earlier)}`;
        reject({ ...problem, message, cause: "differs" });
      } else if (cameras.size < MAX_CAMERAS) {
        // A string that was cut from a file would keep the rest of the file in memory. A copy does not.
        const copy = Buffer.from(ref).toString();
        cameras.set(typeof key === "string" ? copy : key, { ref: copy, file, line });
      } else reject({ ...problem, message: `exceeds the limit of ${MAX_CAMERAS} cameras per collection` });
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
