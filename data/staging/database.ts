import { DatabaseSync } from "node:sqlite";
import { TrafficRecord } from "../../src/records/record.ts";

const FIELDS = TrafficRecord.keyof().options;

const COLUMNS = `
  position INTEGER PRIMARY KEY, -- in the input
  file INTEGER,
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
 * Opens an empty database for the records of one load. It has no name, so SQLite keeps what does not fit into
 * its cache in a temporary file, which goes away with the connection or the process.
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

/**
 * Gives a function that takes what a source gives, with the rank of its file, and adds it to the database.
 * @param table the rows to load, or those that are not newer than what is loaded
 */
export function prepareInsert(database: DatabaseSync, table: "staged" | "older" = "staged") {
  const places = FIELDS.map(() => "?").join(", ");
  const insert = database.prepare(
    `INSERT INTO ${table} (file, line, processed_at, ${FIELDS.join(", ")}) VALUES (?, ?, ?, ${places})`,
  );
  return (file: number, line: number, row: Partial<TrafficRecord> & { processed_at?: string }): void => {
    insert.run(file, line, row.processed_at ?? null, ...FIELDS.map((field) => row[field] ?? null));
  };
}

/** The numbers that observations go on from. */
interface Numbers {
  largestId: number;
  cameras: ReadonlyMap<number, string>;
}

/**
 * Gives all observations their `camera_pk`, 1, 2, ... in the order in which the cameras first saw something,
 * and their `id`, 1, 2, ... in the order in which the images were processed.
 * @param loaded what is loaded already: its cameras keep their `camera_pk`, and both go on from its largest
 * @throws RangeError if they would be larger than JSON numbers can tell apart
 */
export function numberObservations(
  database: DatabaseSync,
  { largestId, cameras }: Numbers = { largestId: 0, cameras: new Map() },
): void {
  requireRoom(database, { largestId, cameras });
  const number = database.prepare(`
    WITH loaded AS (
      SELECT value ->> 1 AS camera_ref, min(value ->> 0) AS pk FROM json_each(?1) GROUP BY 1
    ), numbered AS (
      SELECT camera_ref, coalesce(pk, (SELECT coalesce(max(value ->> 0), 0) FROM json_each(?1)) +
        row_number() OVER (PARTITION BY pk IS NULL ORDER BY min(timestamp), camera_ref)) AS pk
      FROM staged LEFT JOIN loaded USING (camera_ref) GROUP BY camera_ref
    )
    UPDATE staged SET camera_pk = numbered.pk FROM numbered WHERE numbered.camera_ref = staged.camera_ref`);
  number.run(JSON.stringify([...cameras]));
  const identify = database.prepare(`
    UPDATE staged SET id = numbered.id FROM (
      SELECT position, ? + row_number() OVER (ORDER BY processed_at, timestamp, camera_ref) AS id FROM staged
    ) AS numbered WHERE numbered.position = staged.position`);
  identify.run(largestId);
}

/** Takes every camera for a new one, which makes no difference to anybody but those who are at the end anyway. */
function requireRoom(database: DatabaseSync, { largestId, cameras }: Numbers): void {
  const count = database.prepare(
    "SELECT count(*) AS id, count(DISTINCT camera_ref) AS camera_pk FROM staged",
  );
  const added = Object(count.get());
  const largest = {
    id: largestId,
    camera_pk: [...cameras.keys()].reduce((one, other) => Math.max(one, other), 0),
  };
  for (const field of ["id", "camera_pk"] as const) {
    if (largest[field] <= Number.MAX_SAFE_INTEGER - added[field]) continue;
    throw new RangeError(
      `A report goes on from the largest ${field} that is loaded, ${largest[field]}, but ${Number.MAX_SAFE_INTEGER} is the largest there can be. Nothing was added.`,
    );
  }
}

/** Gives the records oldest first, the reverse of the collection's total order. */
export function* selectRecords(database: DatabaseSync): Generator<TrafficRecord> {
  const select = database.prepare(
    `SELECT ${FIELDS.join(", ")} FROM staged ORDER BY timestamp, camera_ref DESC, id DESC`,
  );
  // The columns hold what went in, which was checked against the schema.
  for (const row of select.iterate()) yield { ...row } as unknown as TrafficRecord;
}
