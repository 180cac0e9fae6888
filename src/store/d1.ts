import type { D1Database } from "@cloudflare/workers-types";
import { BLOCK_SIZE } from "./block.ts";
import { retry, SHORT_PAUSES } from "./retry.ts";
import { DamagedStateError, requireState, type Store } from "./state.ts";

/*
 * The collection in a D1 database with the tables of data/migrations. A state and a block of its load are read in one statement:
 * two rows, at any depth and size.
 */

export type Row = Record<string, string | number | null>;

/** A D1 database: the worker's binding, wrangler's command line, or a file on this machine. It retries what fails for a moment. */
export interface SqlDatabase {
  /**
   * Runs one statement that reads.
   * @param isNewest true to read from the primary database, not from a replica
   */
  query(sql: string, parameters: (string | number)[], isNewest: boolean): Promise<Row[]>;
}

const STATE_QUERY = "SELECT load, count, loaded_at, sequence, source FROM state";

/** The state with the wanted block. `?1` is its number; D1 passes numbers as reals, which the key of a row must not be. */
export const BLOCK_QUERY = withBlock("CAST(?1 AS INTEGER)");

const LAST_BLOCK_QUERY = withBlock(`(count + ${BLOCK_SIZE - 1}) / ${BLOCK_SIZE}`);

function withBlock(number: string): string {
  return `SELECT state.load, count, loaded_at, sequence, source, text
    FROM state LEFT JOIN block ON block.load = state.load AND block.number = ${number}`;
}

export function createD1Store(database: SqlDatabase): Store {
  return {
    trustMs: 5_000,
    async readState(wanted, isNewest = false) {
      const [row] = await queryState(database, wanted, isNewest).catch(explainMissingTables);
      if (!row) throw new DamagedStateError("D1 holds no state");
      return { state: requireState(row), ...(wanted !== undefined && { text: textOf(row) }) };
    },
    async readBlocks(load, numbers) {
      const sql = `SELECT number, text FROM block WHERE load = ?1 AND number IN (${numbers.join()})`;
      const rows = await database.query(sql, [load], false);
      return numbers.map((number) => textOf(rows.find((row) => row.number === number)));
    },
  };
}

function queryState(database: SqlDatabase, wanted: number | "last" | undefined, isNewest: boolean) {
  if (wanted === undefined) return database.query(STATE_QUERY, [], isNewest);
  return wanted === "last"
    ? database.query(LAST_BLOCK_QUERY, [], isNewest)
    : database.query(BLOCK_QUERY, [wanted], isNewest);
}

/** Plain `wrangler deploy` creates a database, but no tables. */
function explainMissingTables(cause: unknown): never {
  if (!String(cause).includes("no such table")) throw cause;
  const message =
    "The database has no tables. Create them with `npm run deploy`, or locally with `npm start`";
  throw new Error(message, { cause });
}

function textOf(row: Row | undefined): string | null {
  return typeof row?.text === "string" ? row.text : null;
}

/** The binding of a worker. */
export function bindDatabase(database: D1Database): SqlDatabase {
  return {
    // Reads go to the nearest replica, if there are replicas. What a name refers to never changes, so it does not matter
    // which state of the database that replica has.
    query: (sql, parameters, isNewest) =>
      retry(
        async () => {
          const session = database.withSession(isNewest ? "first-primary" : "first-unconstrained");
          const statement = session.prepare(sql).bind(...parameters);
          return (await statement.all<Row>()).results;
        },
        { isTransient, ...SHORT_PAUSES },
      ),
  };
}

/**
 * What D1 reports when the same statement may well succeed a moment later: a lost connection, or a local database to which
 * another process writes. Its other errors (overload, time and memory limits, the daily limits of the free plan) would only
 * get worse with another attempt.
 */
const TRANSIENT = [
  "SQLITE_BUSY",
  "database is locked",
  "Failed to get session commit token",
  "Network connection lost",
  "storage caused object to be reset",
  "reset because its code was updated",
  "Cannot resolve D1 DB due to transient issue",
  "client disconnected",
];

/** Whether the same statement may well succeed a moment later. */
export function isTransient(error: unknown): boolean {
  return TRANSIENT.some((message) => String(error).includes(message));
}
