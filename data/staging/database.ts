import { DatabaseSync } from "node:sqlite";
import { TrafficRecord } from "../../src/records/record.ts";
import type { AppendBase } from "./append-base.ts";

const FIELDS = TrafficRecord.keyof().options;

const COLUMNS = `
  position INTEGER PRIMARY KEY, -- in the input
  file INTEGER, -- index
  line INTEGER,
  processed_at TEXT, -- of an observation
  id INTEGER,
  camera_pk INTEGER,
  camera_ref TEXT,
  timestamp TEXT,
  camera_ok TEXT,
  cars INTEGER,
  persons INTEGER,
  bicycles INTEGER,
  trucks INTEGER,
  motorcycles INTEGER,
  buses INTEGER,
  model_name TEXT`;

/**
 * Opens an empty database for one load: `staged` holds the rows to load, `older` those that are not newer than the loaded
 * records. It has no name, so SQLite keeps what does not fit into its cache in a temporary file, which is removed with the
 * connection or the process.
 */
export function openDatabase(): DatabaseSync {
  const database = new DatabaseSync("");
  database.exec(`
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA temp_store = FILE;
    PRAGMA cache_size = -16384; -- KiB
    CREATE TABLE staged (${COLUMNS}) STRICT;
    CREATE TABLE older (${COLUMNS}) STRICT`);
  return database;
}

/** @returns a function that inserts a row, given the index of its file and its line */
export function prepareInsert(database: DatabaseSync, table: "staged" | "older") {
  const places = FIELDS.map(() => "?").join(", ");
  const insert = database.prepare(
    `INSERT INTO ${table} (file, line, processed_at, ${FIELDS.join(", ")}) VALUES (?, ?, ?, ${places})`,
  );
  return (file: number, line: number, row: Partial<TrafficRecord> & { processed_at?: string }): void => {
    insert.run(file, line, row.processed_at ?? null, ...FIELDS.map((field) => row[field] ?? null));
  };
}

type Numbers = Pick<AppendBase, "largestId" | "cameras">;

/**
 * Assigns a `camera_pk` to each camera, in the order of their first timestamps, and an `id` to each observation, in the
 * order of processing. The numbers start after the largest loaded ones, and loaded cameras keep their `camera_pk`.
 * @throws RangeError if a number would not be a safe integer
 */
export function numberObservations(
  database: DatabaseSync,
  loaded: Numbers = { largestId: 0, cameras: new Map() },
): void {
  requireFreeNumbers(database, loaded);
  const assignCameras = database.prepare(`
    WITH loaded AS (
      SELECT value ->> 1 AS camera_ref, min(value ->> 0) AS pk FROM json_each(?1) GROUP BY 1
    ), numbered AS (
      SELECT camera_ref, coalesce(pk, (SELECT coalesce(max(value ->> 0), 0) FROM json_each(?1)) +
        row_number() OVER (PARTITION BY pk IS NULL ORDER BY min(timestamp), camera_ref)) AS pk
      FROM staged LEFT JOIN loaded USING (camera_ref) GROUP BY camera_ref
    )
    UPDATE staged SET camera_pk = numbered.pk FROM numbered WHERE numbered.camera_ref = staged.camera_ref`);
  assignCameras.run(JSON.stringify([...loaded.cameras]));
  const assignIds = database.prepare(`
    UPDATE staged SET id = numbered.id FROM (
      SELECT position, ? + row_number() OVER (ORDER BY processed_at, timestamp, camera_ref) AS id FROM staged
    ) AS numbered WHERE numbered.position = staged.position`);
  assignIds.run(loaded.largestId);
}

/** Counts every camera as new. That is too strict only within a few numbers of the largest safe integer. */
function requireFreeNumbers(database: DatabaseSync, { largestId, cameras }: Numbers): void {
  const count = database.prepare(
    "SELECT count(*) AS id, count(DISTINCT camera_ref) AS camera_pk FROM staged",
  );
  const needed = Object(count.get());
  const largest = {
    id: largestId,
    camera_pk: [...cameras.keys()].reduce((one, other) => Math.max(one, other), 0),
  };
  for (const field of ["id", "camera_pk"] as const) {
    if (largest[field] <= Number.MAX_SAFE_INTEGER - needed[field]) continue;
    throw new RangeError(
      `The report needs ${needed[field]} new numbers for ${field}, but the largest loaded one is ${largest[field]} and the largest possible one is ${Number.MAX_SAFE_INTEGER}. Nothing was added.`,
    );
  }
}

/** The records oldest first, the reverse of the collection's order. */
export function* selectRecords(database: DatabaseSync): Generator<TrafficRecord> {
  const rows = selectRows<TrafficRecord>(
    database,
    `SELECT ${FIELDS.join(", ")} FROM staged ORDER BY timestamp, camera_ref DESC, id DESC`,
  );
  // The rows of SQLite have no prototype.
  for (const row of rows) yield { ...row };
}

/** @param sql whose columns are the fields of a row */
export function selectRows<T>(database: DatabaseSync, sql: string): Iterable<T> {
  return database.prepare(sql).iterate() as Iterable<unknown> as Iterable<T>;
}
