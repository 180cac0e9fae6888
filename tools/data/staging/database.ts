import { accessSync, constants } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { BLOCK_SIZE, type Block, formatBlock, RECORD_SEPARATOR } from "../../../src/store/block.ts";
import { describeFileError } from "../../messages.ts";
import { formatPosition, type Problem } from "../formats/problem.ts";

/** The columns of a row: its position in the input, the values to compare and to sort by, and the end of its line in a block. */
const COLUMNS = [
  "file INTEGER", // index
  "line INTEGER",
  "image TEXT", // in a report: the times of the processing and of the capture, separated by a space
  "id INTEGER",
  "camera_pk INTEGER",
  "camera_ref TEXT",
  "timestamp TEXT",
  "line_end TEXT", // the part after the id and the camera_pk, which the load assigns to rows of reports
];

/** Opens an empty database for a load, in memory or in a file without a name, which SQLite deletes immediately after opening it. */
export function openStagingDatabase({ isInMemory }: { isInMemory: boolean }): DatabaseSync {
  if (!isInMemory) requireTemporaryFolder();
  const database = new DatabaseSync(isInMemory ? ":memory:" : "");
  database.exec(`
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA temp_store = ${isInMemory ? "MEMORY" : "FILE"};
    PRAGMA cache_size = -4096; -- KiB
    CREATE TABLE staged (${COLUMNS.join()}) STRICT;
    CREATE TABLE seen (timestamp TEXT, camera_ref TEXT, PRIMARY KEY (timestamp, camera_ref)) STRICT, WITHOUT ROWID; -- to skip duplicates
    CREATE TABLE paged (id INTEGER PRIMARY KEY) STRICT; -- the records in pages
    CREATE TABLE sorted (line TEXT) STRICT`);
  return database;
}

/** @throws Error if the folder that the user chose cannot be written. SQLite would silently use another one */
function requireTemporaryFolder(): void {
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  for (const [name, folder] of Object.entries({ SQLITE_TMPDIR, TMPDIR })) {
    if (!folder) continue;
    try {
      accessSync(`${folder}/.`, constants.W_OK);
    } catch (cause) {
      const reason = describeFileError(cause);
      throw new Error(`${name} is ${folder}, which cannot be written: ${reason}`, { cause });
    }
  }
}

/** Prepares the statement that inserts a row, with values in the order of `COLUMNS`. */
export function prepareInsert(database: DatabaseSync): StatementSync {
  return database.prepare(`INSERT INTO staged VALUES (${COLUMNS.map(() => "?").join()})`);
}

/** Numbers the cameras of reports from 1 by their first captures (`camera_pk`), and the images by their processing (`id`). */
export function assignReportIds(database: DatabaseSync): void {
  database.exec(`
    UPDATE staged SET camera_pk = numbered.pk FROM (
      SELECT camera_ref, row_number() OVER (ORDER BY min(substr(image, instr(image, ' '))), camera_ref) AS pk
      FROM staged GROUP BY camera_ref
    ) AS numbered WHERE numbered.camera_ref = staged.camera_ref;
    UPDATE staged SET id = numbered.id FROM (
      SELECT rowid AS position, row_number() OVER (ORDER BY image, camera_ref) AS id FROM staged
    ) AS numbered WHERE numbered.position = staged.rowid`);
}

/**
 * Columns whose combined values must be unique, and the field to report. A camera has one record per observation time (specification,
 * "Record", rule 2). The timestamp comes first, because files are usually sorted by time. A camera with two references is reported elsewhere.
 */
const UNIQUE_KEYS = [
  { columns: "id", field: "id" },
  { columns: "timestamp, camera_pk, camera_ref", field: "timestamp" },
] as const;

/**
 * Compares the records of a load. All records must have their ids.
 * @param files The files that the column `file` counts
 * @returns A problem for the later record of each conflict, in the order in which the records were read
 */
export function* findConflicts(database: DatabaseSync, files: readonly string[]): Generator<Problem> {
  const getPosition = (index: unknown, line: unknown) => ({
    file: String(files[Number(index)]),
    line: Number(line),
  });
  for (const { columns, field } of UNIQUE_KEYS) {
    const repeated = `FROM staged GROUP BY ${columns} HAVING count(*) > 1`;
    // Usually nothing is repeated, and the join would read all records again.
    if (database.prepare(`SELECT 1 ${repeated}`).get() === undefined) continue;
    // Without the order, SQLite would compare each repeated record with all others: hours for a file that is loaded twice.
    // A record that appears twice is reported only for its id.
    const condition = field === "id" ? "" : "AND later.id <> earlier.id";
    const sql = `WITH repeated AS (SELECT ${columns}, min(rowid) AS first ${repeated})
      SELECT later.file, later.line, later.id, later.camera_ref, later.timestamp,
        earlier.file AS earlier_file, earlier.line AS earlier_line
      FROM repeated JOIN staged AS later USING (${columns}) JOIN staged AS earlier ON earlier.rowid = first
      WHERE later.rowid > first ${condition} ORDER BY later.rowid`;
    for (const later of database.prepare(sql).iterate()) {
      const camera = field === "id" ? "" : ` for camera ${JSON.stringify(later.camera_ref)}`;
      const earlier = formatPosition(getPosition(later.earlier_file, later.earlier_line));
      const message = `already appears${camera} in ${earlier}`;
      const position = getPosition(later.file, later.line);
      yield { ...position, field, value: later[field], message, cause: "repeated" };
    }
  }
}

/** Sorts the lines of all records in the order of the collection. */
export function sortRecords(database: DatabaseSync): void {
  database.exec(`INSERT INTO sorted SELECT '[' || id || ',' || camera_pk || ',' || line_end
    FROM staged ORDER BY timestamp DESC, camera_ref, id`);
}

/** Joins the sorted lines to blocks. SQLite joins them, so that JavaScript needs no string per line. */
export function* selectBlocks(database: DatabaseSync): Generator<Block, void> {
  const select = database.prepare(`SELECT group_concat(line, ?) AS lines
    FROM (SELECT line FROM sorted WHERE rowid BETWEEN ? AND ? ORDER BY rowid)`);
  for (let number = 1; ; number++) {
    const last = BLOCK_SIZE * number;
    const lines = select.get(RECORD_SEPARATOR, last - BLOCK_SIZE + 1, last)?.lines;
    if (typeof lines !== "string") return;
    yield { number, text: formatBlock(lines) };
  }
}
