import type { D1Database } from "@cloudflare/workers-types";
import { CLASSES } from "../records/classes.ts";
import { lastPage, PAGE_SIZE, pagePositions } from "../records/page.ts";
import type { TrafficRecord } from "../records/record.ts";
import { readPatiently } from "./patience.ts";
import type { RecordStore, State } from "./store.ts";

/** The columns of a record, in the order of its fields; `model_name` has one value and needs none. */
export const COLUMNS = [
  "id",
  "camera_pk",
  "camera_ref",
  "timestamp",
  "camera_ok",
  ...CLASSES,
] as const satisfies (keyof TrafficRecord)[];

/** The arguments by which `json_object` makes the JSON of a record. */
export const FIELDS = [...COLUMNS.map((column) => `'${column}', ${column}`), "'model_name', 'tf1'"].join(
  ", ",
);

/**
 * Reads the state and one page of it: one statement, so that both always belong together. Positions are a range of
 * the primary key, so it reads the rows of the page and no others. `?1` is the page, null for the last one; `?2` the
 * count of an earlier state, null for the current one; D1 passes numbers as reals, which would not divide whole.
 */
export const PAGE_QUERY = `
  WITH asked AS (
    SELECT version, count AS loaded, coalesce(CAST(?2 AS INTEGER), count) AS count FROM state WHERE only = 1
  ), current AS (
    SELECT *, coalesce(?1, max(1, (count + ${PAGE_SIZE - 1}) / ${PAGE_SIZE})) AS page FROM asked
  )
  SELECT version, loaded, count, page, count(position) AS found,
         json_group_array(json_object(${FIELDS})) FILTER (WHERE position IS NOT NULL) AS results
  FROM (
    SELECT current.*, position, ${COLUMNS.join(", ")} FROM current LEFT JOIN records
      ON records.version = current.version
     AND position BETWEEN count - ${PAGE_SIZE} * page + 1 AND count - ${PAGE_SIZE} * (page - 1)
    ORDER BY position DESC
  )`;

const STATE_QUERY = "SELECT version, count FROM state WHERE only = 1";

/** Reads the state with its statistics, of which each row has a part. */
export const LOADED_QUERY = `
  SELECT version, count, loaded_at, text FROM state LEFT JOIN statistics USING (version, count)
  WHERE only = 1 ORDER BY part`;

/**
 * What D1 says when the same query may well succeed a moment later. Its other errors (overload, time and memory
 * limits, the daily limits of the free plan) another attempt would only make worse.
 */
const TRANSIENT = [
  "Network connection lost",
  "storage caused object to be reset",
  "reset because its code was updated",
  "Cannot resolve D1 DB due to transient issue",
  "client disconnected",
  // What opening a session says while another process writes to a local database.
  "Failed to get session commit token",
];

/** Where a session begins to read: at any replica, or, for a state that a replica may not have yet, at the primary. */
const NEAREST = "first-unconstrained";
export const NEWEST = "first-primary";

interface PageRow extends State {
  /** Records in the collection; `count` is that of the state asked for. */
  loaded: number;
  page: number;
  /** Records in `results`. */
  found: number;
  results: string;
}

interface LoadedRow extends State {
  loaded_at: string | null;
  /** A part of the statistics; null if there are none. */
  text: string | null;
}

/**
 * The collection in a D1 database with the tables of data/migrations. Reads go to the nearest replica, if there are
 * replicas: each answer is one statement, so it does not matter which state of the database it sees.
 * @param nearest where sessions begin; an append must go on from the newest state
 */
export function d1Store(database: D1Database, nearest = NEAREST): RecordStore {
  const query = <T extends State>(sql: string, parameters: (number | null)[] = [], from = nearest) =>
    readPatiently(async () => {
      const { results } = await database
        .withSession(from)
        .prepare(sql)
        .bind(...parameters)
        .all<T>();
      const [row] = results;
      // Without a state the aggregates of the page's query still give a row.
      if (row === undefined || row.version === null) throw new Error("D1 holds no state");
      return { row, rows: results };
    }, isTransient);
  return {
    async state() {
      const { row } = await query<State>(STATE_QUERY);
      return toState(row);
    },
    async page(page, asOf) {
      const parameters = [page === "last" ? null : page, asOf ?? null];
      let { row } = await query<PageRow>(PAGE_QUERY, parameters);
      if (row.count > row.loaded) ({ row } = await query<PageRow>(PAGE_QUERY, parameters, NEWEST));
      requireWhole(row);
      const current = { version: row.version, count: row.loaded };
      // Beyond the current state the page would be what is left of it.
      const results = row.count > row.loaded ? "[]" : row.results;
      return { state: toState(row), current, number: row.page, results };
    },
    async loaded() {
      const { row, rows } = await query<LoadedRow>(LOADED_QUERY);
      return {
        state: toState(row),
        loadedAt: row.loaded_at ?? undefined,
        statistics: row.text === null ? undefined : JSON.parse(rows.map(({ text }) => text).join("")),
      };
    },
  };
}

function toState({ version, count }: State): State {
  return { version, count };
}

function isTransient(error: unknown): boolean {
  return TRANSIENT.some((message) => String(error).includes(message));
}

/** A page with records missing would look like a shorter one; it is a failure of the store instead. */
function requireWhole({ found, loaded, count, page }: PageRow): void {
  if (count > loaded || page > lastPage(count)) return;
  const { first, last } = pagePositions(count, page);
  const expected = last - first + 1;
  if (found !== expected)
    throw new Error(`D1 holds ${found} of the ${expected} records of page ${page} of ${count}`);
}
