import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { BLOCK_SIZE, type Block, formatBlock, RECORD_SEPARATOR } from "../../src/store/block.ts";
import { formatPosition, type Problem } from "../formats/problem.ts";

/** A row of the input: its position, what it is compared and sorted by, and the end of its line in a block. */
const COLUMNS = [
  "file INTEGER", // index
  "line INTEGER",
  "image TEXT", // of a report: when it was processed, a space, and when it was taken
  "id INTEGER",
  "camera_pk INTEGER",
  "camera_ref TEXT",
  "timestamp TEXT",
  "line_end TEXT", // after the id and the camera_pk, which a load may have to assign
];

/**
 * Opens an empty database for one load. It has no name, so SQLite keeps what does not fit into its cache in a temporary file
 * that it has deleted already.
 */
export function openDatabase(): DatabaseSync {
  const database = new DatabaseSync("");
  database.exec(`
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA temp_store = FILE;
    PRAGMA cache_size = -4096; -- KiB
    CREATE TABLE staged (${COLUMNS.join()}) STRICT;
    CREATE TABLE seen (timestamp TEXT, camera_ref TEXT, PRIMARY KEY (timestamp, camera_ref)) STRICT, WITHOUT ROWID;
    CREATE TABLE paged (id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE sorted (line TEXT) STRICT`);
  return database;
}

/** Rows of one statement. With one row each, reading and sorting would take a sixth longer. */
const BATCH_ROWS = 100;

/** Inserts rows, in the order of `COLUMNS`, in batches. `flush` inserts the last ones. */
export function createInserter(database: DatabaseSync) {
  const prepare = (rows: number) => {
    const parameters = `(${COLUMNS.map(() => "?").join()})`;
    return database.prepare(`INSERT INTO staged VALUES ${Array(rows).fill(parameters).join()}`);
  };
  const full = prepare(BATCH_ROWS);
  let values: SQLInputValue[] = [];
  const flush = () => {
    const rows = values.length / COLUMNS.length;
    if (rows > 0) (rows === BATCH_ROWS ? full : prepare(rows)).run(...values);
    values = [];
  };
  return {
    insert(row: SQLInputValue[]): void {
      values.push(...row);
      if (values.length === BATCH_ROWS * COLUMNS.length) flush();
    },
    flush,
  };
}

/**
 * Assigns a `camera_pk` to each camera, in the order of their first images, and an `id` to each image of a report, in the
 * order of processing. Both begin with 1.
 */
export function numberObservations(database: DatabaseSync): void {
  database.exec(`
    UPDATE staged SET camera_pk = numbered.pk FROM (
      SELECT camera_ref, row_number() OVER (ORDER BY min(substr(image, instr(image, ' '))), camera_ref) AS pk FROM staged GROUP BY camera_ref
    ) AS numbered WHERE numbered.camera_ref = staged.camera_ref;
    UPDATE staged SET id = numbered.id FROM (
      SELECT rowid AS position, row_number() OVER (ORDER BY image, camera_ref) AS id FROM staged
    ) AS numbered WHERE numbered.position = staged.rowid`);
}

/** Two records of a load that cannot both be right. The earlier one comes first in the input. */
interface Conflict {
  file: number;
  line: number;
  id: number;
  camera_ref: string;
  timestamp: string;
  earlier_file: number;
  earlier_line: number;
}

/**
 * Columns whose values no two records share, and the field that a problem names. A camera has one record per observation time
 * (specification, "Record", rule 2). Files are usually sorted by time. Two references of a camera are another problem.
 */
const RULES = [
  { columns: "id", field: "id" },
  { columns: "timestamp, camera_pk, camera_ref", field: "timestamp" },
] as const;

/**
 * Compares the records of a load with each other. Their ids must be assigned.
 * @param files the names of the files of the load
 * @returns a problem for the later record of each conflict
 */
export function* findConflicts(database: DatabaseSync, files: readonly string[]): Generator<Problem> {
  const getFileName = (file: number) => files[file] ?? "";
  for (const { columns, field } of RULES) {
    // The same record twice is reported for its id only.
    const condition = field === "id" ? "" : "AND later.id <> earlier.id";
    const sql = `WITH repeated AS (SELECT ${columns}, min(rowid) AS first FROM staged GROUP BY ${columns} HAVING count(*) > 1)
      SELECT later.file, later.line, later.id, later.camera_ref, later.timestamp,
        earlier.file AS earlier_file, earlier.line AS earlier_line
      FROM repeated JOIN staged AS later USING (${columns}) JOIN staged AS earlier ON earlier.rowid = first
      WHERE later.rowid > first ${condition}`;
    const conflicts = database.prepare(sql).iterate() as Iterable<unknown> as Iterable<Conflict>;
    for (const { file, line, camera_ref, earlier_file, earlier_line, [field]: value } of conflicts) {
      const camera = field === "id" ? "" : ` for camera ${JSON.stringify(camera_ref)}`;
      const earlier = formatPosition({ file: getFileName(earlier_file), line: earlier_line });
      const message = `already appears${camera} in ${earlier}`;
      yield { file: getFileName(file), line, field, value, message, cause: "repeated" };
    }
  }
}

/** Sorts the lines of all records in the order of the collection. */
export function sortLines(database: DatabaseSync): void {
  database.exec(`INSERT INTO sorted SELECT '[' || id || ',' || camera_pk || ',' || line_end
    FROM staged ORDER BY timestamp DESC, camera_ref, id`);
}

/** Joins the sorted lines to blocks, each in SQLite, so that JavaScript sees one text for each block. */
export function* selectBlocks(database: DatabaseSync): Generator<Block, void> {
  const select = database.prepare(`SELECT group_concat(line, ?) AS lines
    FROM (SELECT line FROM sorted WHERE rowid BETWEEN ? AND ? ORDER BY rowid)`);
  for (let number = 1; ; number++) {
    const { lines } = Object(
      select.get(RECORD_SEPARATOR, BLOCK_SIZE * (number - 1) + 1, BLOCK_SIZE * number),
    );
    if (lines === null) return;
    yield { number, text: formatBlock(lines) };
  }
}
