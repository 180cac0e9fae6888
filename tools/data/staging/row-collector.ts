import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { escapeUnit } from "../../../src/escape.ts";
import { getAppearance } from "../../../src/records/camera-ref.ts";
import { NO_COUNTS } from "../../../src/records/road-users.ts";
import { checkFailingCamera } from "../../../src/records/schema.ts";
import { encodeLineEnd } from "../../../src/store/block.ts";
import { formatCount } from "../../messages.ts";
import { formatPosition, type InputPosition, type Problem } from "../formats/problem.ts";
import type { InputRow, ValidRow } from "../formats/validation.ts";
import { assignReportIds, findConflicts, prepareInsert } from "./database.ts";
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

interface ProblemListener {
  /** Called with problems that prevent the load. */
  reject(problem: Problem): void;
  /** Called with problems that do not prevent the load. */
  warn(problem: Problem): void;
}

/** Collects the rows of a load, and checks them. */
export function createRowCollector(
  database: DatabaseSync,
  options: CollectOptions,
  listener: ProblemListener,
) {
  const { strict = false, skipDuplicates = false } = options;
  const { reject, warn } = listener;
  const counts: RowCounts = { count: 0, zeroed: 0, duplicates: 0 };
  /** The file of the first image, and that of the first record. */
  const firstFiles: { [kind in ValidRow["kind"]]?: string } = {};
  const addSeen = database.prepare("INSERT OR IGNORE INTO seen (timestamp, camera_ref) VALUES (?, ?)");
  const pages = createPageCheck(database, strict ? reject : warn);
  const { stageRow, files, getStatistics } = createRowStager(database, counts, { ...listener, strict });
  return {
    counts,
    getStatistics,
    add(row: InputRow) {
      if ("problems" in row) return row.problems.forEach(reject);
      // Also of rows that are skipped.
      firstFiles[row.kind] ??= row.file;
      if (row.kind === "record" && row.isInPage) pages.addRecord(row.record.id);
      const { timestamp, camera_ref } = row.record;
      if (skipDuplicates && addSeen.run(timestamp, camera_ref).changes === 0) counts.duplicates++;
      else stageRow(row);
    },
    addPage: pages.addPage,
    /** Checks what only all rows show. Must be called after the last row. */
    compare() {
      pages.check();
      const { image, record } = firstFiles;
      if (image !== undefined && record !== undefined) {
        // The ids that a load assigns to images could be those of records.
        const message = `contains a report, but ${record} contains records; one load cannot contain both`;
        return reject({ file: image, line: 0, message });
      }
      if (image !== undefined) assignReportIds(database);
      for (const problem of findConflicts(database, files)) reject(problem);
    },
  };
}

/** Checks that the pages of a load have as many different records as their largest `count` says. */
function createPageCheck(database: DatabaseSync, report: ProblemListener["warn"]) {
  const addId = database.prepare("INSERT OR IGNORE INTO paged (id) VALUES (?)");
  let records = 0;
  /** The first file with a page, and the largest count. */
  let pages: { file: string; count: number } | undefined;
  return {
    addPage(file: string, count: number): void {
      pages ??= { file, count };
      pages.count = Math.max(pages.count, count);
    },
    addRecord(id: number): void {
      records += Number(addId.run(id).changes);
    },
    check(): void {
      if (pages === undefined || pages.count === records) return;
      const found = formatCount(records, "different record");
      const message = `the pages contain ${found}, but their count is ${pages.count}`;
      report({ file: pages.file, line: 0, message });
    },
  };
}

function createRowStager(
  database: DatabaseSync,
  counts: RowCounts,
  { strict, ...listener }: ProblemListener & { strict: boolean },
) {
  const { reject } = listener;
  const insert = prepareInsert(database);
  const statistics = createStatisticsCollector();
  const cameras = createCameraCheck(listener);
  const files: string[] = [];
  return {
    /** The files of the rows. The database has their indexes. */
    files,
    getStatistics: () => statistics.getStatistics(cameras.count()),
    stageRow(row: ValidRow): void {
      const { file, line, record } = row;
      const { camera_ref, timestamp, camera_ok } = record;
      const contradiction = checkFailingCamera(record);
      const observation = contradiction === undefined ? record : { ...record, ...NO_COUNTS };
      counts.count++;
      if (contradiction !== undefined) {
        counts.zeroed++;
        const problem = { field: "camera_ok", value: camera_ok, message: contradiction, cause: "counts" };
        if (strict) reject({ file, line, ...problem });
      }
      cameras.check(row);
      if (!statistics.add(observation)) {
        const message = `exceeds the limit of ${MAX_DAYS} different days per collection`;
        reject({ file, line, field: "timestamp", value: timestamp, message });
      }
      if (files.at(-1) !== file) files.push(file);
      const index = files.length - 1;
      insert.run(index, line, ...getIds(row), camera_ref, timestamp, encodeLineEnd(observation));
    },
  };
}

/** Returns the columns `image`, `id` and `camera_pk`. */
function getIds(row: ValidRow): SQLInputValue[] {
  if (row.kind === "image") return [`${row.processedAt} ${row.capturedAt}`, null, null];
  return [null, row.record.id, row.record.camera_pk];
}

/** Checks that the camera_ref of a camera_pk is constant (specification, "Record", rule 4), and that no two look the same. */
function createCameraCheck({ reject, warn }: ProblemListener) {
  type Camera = InputPosition & { key: number | string; ref: string };
  const cameras = new Map<Camera["key"], Camera>();
  const firstByAppearance = new Map<string, Camera>();
  return {
    count: () => cameras.size,
    check(row: ValidRow) {
      const { file, line } = row;
      const ref = row.record.camera_ref;
      // An image of a report has no camera_pk.
      const key = row.kind === "image" ? ref : row.record.camera_pk;
      const known = cameras.get(key);
      if (known?.ref === ref) return;
      const problem = { file, line, field: "camera_ref", value: ref };
      if (known) {
        const other = `${JSON.stringify(known.ref)}, the camera_ref of camera_pk ${key}`;
        const message = `differs from ${other} in ${formatPosition(known)}`;
        return reject({ ...problem, message, cause: "differs" });
      }
      if (cameras.size === MAX_CAMERAS)
        return reject({ ...problem, message: `exceeds the limit of ${MAX_CAMERAS} cameras per collection` });
      // A string that was cut from a file would keep the rest of the file in memory. A copy does not.
      const copy = Buffer.from(ref).toString();
      const camera = { key: typeof key === "string" ? copy : key, ref: copy, file, line };
      cameras.set(camera.key, camera);
      const appearance = getAppearance(copy);
      const first = firstByAppearance.get(appearance);
      if (first === undefined) {
        firstByAppearance.set(appearance, camera);
      } else if (first.ref !== ref) {
        const message = `is ${toAscii(ref)}, which looks like ${toAscii(first.ref)} in ${formatPosition(first)}`;
        reject({ ...problem, message, cause: "looks alike" });
      } else {
        // Valid, but usually a mistake.
        const message = `belongs to camera_pk ${first.key} in ${formatPosition(first)} and camera_pk ${key}`;
        warn({ ...problem, message, cause: "shared" });
      }
    },
  };
}

/** Formats text as JSON with escape sequences for all characters that are not ASCII. */
function toAscii(text: string): string {
  return JSON.stringify(text).replaceAll(/[^ -~]/g, escapeUnit);
}
