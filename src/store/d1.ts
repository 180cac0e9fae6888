import type { D1Database } from "@cloudflare/workers-types";
import { BLOCK_SIZE, getBlockNumber } from "./block.ts";
import { retry, SHORT_PAUSES } from "./retry.ts";
import { type BlockSelector, requireState, type Store } from "./state.ts";

/*
 * The collection in a D1 database with the tables of data/migrations. One statement reads a state and a block of its load: two rows,
 * for any page and any size of the collection.
 */

export type SqlRow = Record<string, string | number | null>;

/** A D1 database: the worker's binding, the wrangler command line, or a local file. Transient errors are retried. */
export interface SqlDatabase {
  /**
   * Runs one SELECT statement.
   * @param fromPrimary Whether to read from the primary database instead of a replica
   */
  query(sql: string, parameters: (string | number)[], fromPrimary: boolean): Promise<SqlRow[]>;
}

export function createD1Store(database: SqlDatabase): Store {
  return {
    async readState({ withBlock, fromPrimary = false } = {}) {
      const parameters = typeof withBlock === "number" ? [withBlock] : [];
      const rows = database.query(buildStateQuery(withBlock), parameters, fromPrimary);
      const [row] = await rows.catch(throwQueryError);
      const state = requireState(row);
      const number = withBlock === "last" ? getBlockNumber(state.count) : withBlock;
      const text = getText(row);
      return number === undefined || text === null ? { state } : { state, block: { number, text } };
    },
    async readBlocks(load, numbers, fromPrimary = false) {
      const parameters = numbers.map((_, index) => `?${index + 2}`);
      const sql = `SELECT number, text FROM block WHERE load = ?1 AND number IN (${parameters})`;
      const rows = await database.query(sql, [load, ...numbers], fromPrimary);
      return numbers.map((number) => getText(rows.find((row) => row.number === number)));
    },
  };
}

/** Builds the query for the state and, if a block is selected, for this block of its load. */
function buildStateQuery(withBlock: BlockSelector | undefined): string {
  const state = "SELECT state.load, count, loaded_at, sequence, source";
  if (withBlock === undefined) return `${state} FROM state`;
  const number = withBlock === "last" ? `(count + ${BLOCK_SIZE - 1}) / ${BLOCK_SIZE}` : "?1";
  return `${state}, text FROM state LEFT JOIN block ON block.load = state.load AND block.number = ${number}`;
}

/** Throws the error of a query, with advice if the database has no tables: `wrangler deploy` alone creates an empty database. */
function throwQueryError(cause: unknown): never {
  if (!isMissingTableError(cause)) throw cause;
  const message =
    "The database has no tables. Create them with `npm run deploy`, or on this machine with `npm start -- OPTIONS`, where OPTIONS are the same as for `wrangler dev`";
  throw new Error(message, { cause });
}

/** Whether a database reports that it has no tables yet. */
export function isMissingTableError(error: unknown): boolean {
  return String(error).includes("no such table");
}

function getText(row: SqlRow | undefined): string | null {
  return typeof row?.text === "string" ? row.text : null;
}

/** Wraps the worker's binding, with retries. */
export function toSqlDatabase(database: D1Database): SqlDatabase {
  return {
    // Unless `fromPrimary` is set, any replica can respond, because the blocks of a load never change.
    query: (sql, parameters, fromPrimary) =>
      retry(
        async () => {
          const session = database.withSession(fromPrimary ? "first-primary" : "first-unconstrained");
          const statement = session.prepare(sql).bind(...parameters);
          return (await statement.all<SqlRow>()).results;
        },
        { isTransient: isTransientD1Error, ...SHORT_PAUSES },
      ),
  };
}

/**
 * Messages of D1 errors that are worth a retry: a lost connection, an import of a load, or a local database that another process is
 * writing to. Errors from overload, time and memory limits, and daily limits are not retried, because retries would make them worse.
 */
const TRANSIENT_ERRORS = [
  "SQLITE_BUSY",
  "database is locked",
  "Failed to get session commit token",
  "Network connection lost",
  "storage caused object to be reset",
  "reset because its code was updated",
  "Cannot resolve D1 DB due to transient issue",
  "client disconnected",
  "Currently processing a long-running",
];

export function isTransientD1Error(error: unknown): boolean {
  return TRANSIENT_ERRORS.some((message) => String(error).includes(message));
}
