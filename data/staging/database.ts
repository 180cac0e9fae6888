import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { Statistics } from "../../src/records/statistics.ts";
import { BLOCK_SIZE, type Block, countInBlocks, SEPARATOR, wrapLines } from "../../src/store/blocks.ts";
import type { State } from "../../src/store/store.ts";
import { formatCount } from "../formatting.ts";

/** The columns of a row of the input: its place, what it is compared and sorted by, and the end of its line in a block. */
const COLUMNS = {
  file: "INTEGER", // index
  line: "INTEGER",
  processed_at: "TEXT", // of an observation
  id: "INTEGER",
  camera_pk: "INTEGER",
  camera_ref: "TEXT",
  timestamp: "TEXT",
  line_end: "TEXT", // after the id and the camera_pk, which a load may have to assign
};

export type StagedRow = [
  file: number,
  line: number,
  processedAt: string | null,
  id: number | null,
  cameraPk: number | null,
  cameraRef: string,
  timestamp: string,
  lineEnd: string,
];

/**
 * Opens an empty database for one load: `staged` holds the rows to load, `older` those that are not newer than the loaded
 * records. It has no name, so SQLite keeps what does not fit into its cache in a temporary file that it has deleted already.
 */
export function openDatabase(): DatabaseSync {
  const database = new DatabaseSync("");
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
  database.exec(`
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA temp_store = FILE;
    PRAGMA cache_size = -16384; -- KiB
    CREATE TABLE staged (${columns.join()}) STRICT;
    CREATE TABLE older (${columns.join()}) STRICT;
    CREATE TABLE seen (timestamp TEXT, camera TEXT, PRIMARY KEY (timestamp, camera)) STRICT, WITHOUT ROWID;
    CREATE TABLE sorted (line TEXT) STRICT`);
  return database;
}

/** Rows of one statement: one by one, they would take twice as long. */
const BATCH_ROWS = 100;

/** Inserts rows in batches. `flush` inserts the last ones. */
export function createInserter(database: DatabaseSync, table: "staged" | "older") {
  const prepare = (rows: number) => {
    const places = `(${Object.keys(COLUMNS).fill("?").join()})`;
    return database.prepare(`INSERT INTO ${table} VALUES ${Array(rows).fill(places).join()}`);
  };
  const full = prepare(BATCH_ROWS);
  let values: SQLInputValue[] = [];
  let rows = 0;
  return {
    insert(row: StagedRow): void {
      values.push(...row);
      if (++rows < BATCH_ROWS) return;
      full.run(...values);
      values = [];
      rows = 0;
    },
    flush(): void {
      if (rows > 0) prepare(rows).run(...values);
      values = [];
      rows = 0;
    },
  };
}

/**
 * Assigns a `camera_pk` to each camera, in the order of their first timestamps, and an `id` to each observation, in the
 * order of processing. The numbers start after the largest loaded ones, and loaded cameras keep their `camera_pk`.
 * @throws RangeError if a number would not be a safe integer
 */
export function numberObservations(database: DatabaseSync, loaded: Numbers): Numbers {
  const assignCameras = database.prepare(`
    WITH loaded AS (
      SELECT value ->> 1 AS camera_ref, min(value ->> 0) AS pk FROM json_each(?1) GROUP BY 1
    ), numbered AS (
      SELECT camera_ref, coalesce(pk, (SELECT coalesce(max(value ->> 0), 0) FROM json_each(?1)) +
        row_number() OVER (PARTITION BY pk IS NULL ORDER BY min(timestamp), camera_ref)) AS pk
      FROM staged LEFT JOIN loaded USING (camera_ref) GROUP BY camera_ref
    )
    UPDATE staged SET camera_pk = numbered.pk FROM numbered WHERE numbered.camera_ref = staged.camera_ref`);
  assignCameras.run(JSON.stringify(loaded.cameras));
  const assignIds = database.prepare(`
    UPDATE staged SET id = numbered.id FROM (
      SELECT rowid AS position, CAST(? AS INTEGER) + row_number() OVER (ORDER BY processed_at, timestamp, camera_ref) AS id FROM staged
    ) AS numbered WHERE numbered.position = staged.rowid`);
  assignIds.run(loaded.largest_id ?? 0);
  requireSafeNumbers(database);
  const cameras = selectRows<{ camera_pk: number; camera_ref: string }>(
    database,
    "SELECT DISTINCT camera_pk, camera_ref FROM staged",
  );
  const known = new Map(loaded.cameras);
  for (const { camera_pk, camera_ref } of cameras) known.set(camera_pk, camera_ref);
  const { largest } = Object(database.prepare("SELECT max(id) AS largest FROM staged").get());
  return {
    largest_id: largest ?? loaded.largest_id,
    cameras: [...known].sort(([one], [other]) => one - other),
  };
}

export type Numbers = Pick<Statistics, "largest_id" | "cameras">;

function requireSafeNumbers(database: DatabaseSync): void {
  const count = database.prepare("SELECT count(*) AS large FROM staged WHERE max(id, camera_pk) > ?");
  const { large } = Object(count.get(Number.MAX_SAFE_INTEGER));
  if (large === 0) return;
  throw new RangeError(
    `${formatCount(large, "row")} of the report would get an id or a camera_pk above ${Number.MAX_SAFE_INTEGER}, because such numbers are loaded already. Nothing was added.`,
  );
}

/** Puts the lines of all records behind the tail of a state, oldest first: the reverse of the collection's order. */
export function sortLines(database: DatabaseSync, { tail }: Pick<State, "tail">): void {
  const insert = database.prepare("INSERT INTO sorted VALUES (?)");
  for (const line of tail === "" ? [] : tail.split(SEPARATOR)) insert.run(line);
  database.exec(`INSERT INTO sorted SELECT '[' || id || ',' || camera_pk || ',' || line_end
    FROM staged ORDER BY timestamp, camera_ref DESC, id DESC`);
}

/**
 * Joins the sorted lines to blocks, each in SQLite, so that JavaScript sees one text for each block.
 * @param count the records that are loaded already
 * @returns the new tail
 */
export function* selectBlocks(database: DatabaseSync, count: number): Generator<Block, string> {
  const select = database.prepare(`SELECT count(*) AS lines, group_concat(line, ?) AS text
    FROM (SELECT line FROM sorted WHERE rowid BETWEEN ? AND ? ORDER BY rowid)`);
  for (let from = 1, first = countInBlocks(count) + 1; ; from += BLOCK_SIZE, first += BLOCK_SIZE) {
    const { lines, text } = Object(select.get(SEPARATOR, from, from + BLOCK_SIZE - 1));
    if (lines < BLOCK_SIZE) return text ?? "";
    yield { first, text: wrapLines(text) };
  }
}

/** @param sql whose columns are the fields of a row */
export function selectRows<T>(database: DatabaseSync, sql: string, ...values: SQLInputValue[]): Iterable<T> {
  return database.prepare(sql).iterate(...values) as Iterable<unknown> as Iterable<T>;
}
