import type { D1Database } from "@cloudflare/workers-types";
import { BLOCK_SIZE, getBlockNumber } from "./block.ts";
import { retry, SHORT_PAUSES_MS } from "./retry.ts";
import { NOTHING_LOADED, requireSnapshot } from "./snapshot.ts";
import type { Store, WantedBlock } from "./store.ts";

/*
 * The collection in a D1 database with the tables of data/migrations. One statement reads the current snapshot and one of its blocks:
 * two rows, whatever the size of the collection.
 */

export type SqlRow = Record<string, string | number | null>;

/** A D1 database: the worker's binding, the wrangler command line, or a local file. */
export interface SqlDatabase {
  /**
   * Runs one SELECT statement.
   * @param constraint Where to read: from the primary database, or from any replica, which may lag
   */
  query(sql: string, parameters: (string | number)[], constraint: SessionConstraint): Promise<SqlRow[]>;
}

type SessionConstraint = "first-primary" | "first-unconstrained";

export function createD1Store(database: SqlDatabase): Store {
  async function readTexts(id: string, numbers: number[], constraint: SessionConstraint) {
    // The id is ?1.
    const parameters = numbers.map((_, index) => `?${index + 2}`).join(", ");
    const sql = `SELECT number, text FROM block WHERE snapshot = ?1 AND number IN (${parameters})`;
    const rows = await database.query(sql, [id, ...numbers], constraint);
    return numbers.map((number) => getText(rows.find((row) => row.number === number)));
  }

  return {
    async readCurrent({ wanted } = {}) {
      const parameters = typeof wanted === "number" ? [wanted] : [];
      const reading = database.query(buildSnapshotQuery("current", wanted), parameters, "first-primary");
      const [row] = await reading.catch(throwQueryError);
      // The migration creates the row, without an id.
      if (row?.id === null) return { snapshot: NOTHING_LOADED };
      const snapshot = requireSnapshot(row);
      const text = getText(row);
      if (wanted === undefined || text === null) return { snapshot };
      const number = wanted === "last" ? getBlockNumber(snapshot.count) : wanted;
      return { snapshot, block: { number, text } };
    },
    async readBlocks(id, numbers) {
      const texts = await readTexts(id, numbers, "first-unconstrained");
      // Blocks never change, so any replica can return them. Only the primary database knows that one is missing.
      return texts.includes(null) ? readTexts(id, numbers, "first-primary") : texts;
    },
  };
}

/** Builds the query for a snapshot, perhaps with the text of a block. */
export function buildSnapshotQuery(role: "current" | "previous", wanted?: WantedBlock): string {
  const columns = "SELECT id, count, loaded_at, source, format";
  if (wanted === undefined) return `${columns} FROM snapshot WHERE role = '${role}'`;
  const number = wanted === "last" ? `(count + ${BLOCK_SIZE - 1}) / ${BLOCK_SIZE}` : "?1";
  const join = `snapshot LEFT JOIN block ON block.snapshot = id AND block.number = ${number}`;
  return `${columns}, text FROM ${join} WHERE role = '${role}'`;
}

/** Throws the error of a query, with advice if tables are missing: `wrangler deploy` alone creates an empty database and migrates none. */
function throwQueryError(cause: unknown): never {
  if (!isMissingTableError(cause)) throw cause;
  const message =
    "The database lacks tables of this version. Create them with `npm run deploy`, or on this machine with `npm start`, and the same --config and --persist-to as for `wrangler dev`";
  throw new Error(message, { cause });
}

/** Whether a query failed because the database is new, or because another version has made its tables. */
export function isMissingTableError(error: unknown): boolean {
  return /no such (table|column)/.test(String(error));
}

function getText(row: SqlRow | undefined): string | null {
  return typeof row?.text === "string" ? row.text : null;
}

export function toSqlDatabase(database: D1Database): SqlDatabase {
  return {
    query: (sql, parameters, constraint) => {
      const read = async () => {
        const statement = database.withSession(constraint).prepare(sql);
        const { results } = await statement.bind(...parameters).all<SqlRow>();
        return results;
      };
      return retry(read, isTransientD1Error, SHORT_PAUSES_MS);
    },
  };
}

/**
 * Messages of errors that are worth a retry: an import of a load, a local database that another process is writing to, or a lost
 * connection. Errors from overload, time and memory limits, and daily limits are not retried, because retries would make them worse.
 */
const TRANSIENT_ERRORS = [
  "SQLITE_BUSY",
  "database is locked",
  "Currently processing a long-running",
  "Failed to get session commit token",
  "Network connection lost",
  "storage caused object to be reset",
  "reset because its code was updated",
  "Cannot resolve D1 DB due to transient issue",
  "client disconnected",
];

export function isTransientD1Error(error: unknown): boolean {
  return TRANSIENT_ERRORS.some((message) => String(error).includes(message));
}
