import type { D1Database } from "@cloudflare/workers-types";
import { PAGE_SIZE } from "../records/page.ts";
import { BLOCK_SIZE, type Block, blockStarts, readLines } from "./blocks.ts";
import { retry } from "./retry.ts";
import { insertBlocks, isConflict, SWEPT_ROWS, sweepStatement, switchStatements } from "./sql.ts";
import { ConflictError, DamagedStateError, MissingBlockError, type State, type Store } from "./store.ts";

/** A row of a result. */
type Row = Record<string, string | number | null>;

/** A D1 database: the worker's binding, or wrangler's command line. */
export interface SqlDatabase {
  /**
   * Runs one statement that reads.
   * @param newest true to read from the primary database, not from a replica
   */
  query(sql: string, parameters: (number | null)[], newest: boolean): Promise<Row[]>;
  /**
   * Runs statements that write, as one transaction.
   * @returns how many rows the last one changed
   */
  write(statements: string[]): Promise<number>;
  /** Bytes of statements that one call of `write` should be given. */
  batchBytes: number;
}

const STATE_COLUMNS = "state.version, count, state.revision, previous, switched_at, sources";

const STATE_QUERY = `SELECT ${STATE_COLUMNS} FROM state`;

/**
 * Reads the state and the one or two blocks of a page of it in one statement, so that both always belong together, and
 * by their primary key, so that no other row is read. `?1` is the page, null for the last one; `?2` is the count of an
 * earlier state, null for the current one. D1 passes numbers as reals, whose division would not be whole.
 */
export const PAGE_QUERY = `
  WITH requested AS (
    SELECT *, coalesce(CAST(?2 AS INTEGER), count) AS as_of FROM state
  ), located AS (
    SELECT *, as_of - ${PAGE_SIZE} * (
      coalesce(CAST(?1 AS INTEGER), max(1, (as_of + ${PAGE_SIZE - 1}) / ${PAGE_SIZE})) - 1
    ) AS last FROM requested
  )
  SELECT located.version, count, located.revision, previous, switched_at, sources, first, text
  FROM located LEFT JOIN blocks ON located.version = blocks.version AND as_of <= count AND last >= 1
    AND first BETWEEN ${startOf(`max(1, last - ${PAGE_SIZE - 1})`)} AND ${startOf("last")}`;

const BLOCKS_QUERY = "SELECT first, text FROM blocks WHERE version = ?1 AND first BETWEEN ?2 AND ?3";

const STATISTICS_QUERY = "SELECT revision, text FROM statistics ORDER BY part";

function startOf(position: string): string {
  return `${position} - (${position} - 1) % ${BLOCK_SIZE}`;
}

/** The collection in a D1 database with the tables of data/migrations. */
export function createD1Store(database: SqlDatabase): Store {
  const query = (sql: string, parameters: (number | null)[] = [], newest = false) =>
    retry(() => database.query(sql, parameters, newest), isTransient);
  return {
    async readState(newest) {
      return readStateRow(await query(STATE_QUERY, [], newest));
    },
    async readPage({ page, asOf }, { newest }) {
      const count = asOf === undefined || asOf === "latest" ? null : asOf.count;
      const rows = await query(PAGE_QUERY, [page === "last" ? null : page, count], newest);
      const state = readStateRow(rows);
      const blocks = readBlockRows(rows).map(
        (block) => [block.first, readLines(block, state.count)] as const,
      );
      return { state, blocks: new Map(blocks) };
    },
    async readBlocks({ version }, range) {
      const starts = blockStarts(range);
      const rows = await query(BLOCKS_QUERY, [version, starts[0] ?? 0, starts.at(-1) ?? 0], true);
      const blocks = new Map(readBlockRows(rows).map((block) => [block.first, block]));
      return starts.map((start) => {
        const block = blocks.get(start);
        if (!block) throw new MissingBlockError(`D1 has no block at position ${start} of version ${version}`);
        return block;
      });
    },
    async readStatistics({ revision }) {
      const rows = await query(STATISTICS_QUERY);
      const text = rows.filter((row) => row.revision === revision).map((row) => row.text);
      return text.length > 0 ? JSON.parse(text.join("")) : undefined;
    },
    batchBytes: database.batchBytes,
    async writeBlocks(blocks, target) {
      await retry(() => database.write([...insertBlocks(blocks, target)]), isTransient);
    },
    async switchTo(state) {
      const statements = [...switchStatements(state, new Date().toISOString())];
      try {
        await retry(() => database.write(statements), isBusy);
      } catch (cause) {
        throw isConflict(cause) ? new ConflictError({ cause }) : cause;
      }
      return readStateRow(await query(STATE_QUERY, [], true));
    },
    async sweep(scope) {
      if (scope === "replaced") return;
      const removeSome = () => database.write([sweepStatement(Date.now())]);
      while ((await retry(removeSome, isTransient)) >= SWEPT_ROWS);
    },
  };
}

/** The binding of a worker, or of a process that opened the same local database. */
export function bindDatabase(database: D1Database): SqlDatabase {
  return {
    // Reads go to the nearest replica, if there are replicas: each response comes from one statement, so it does not
    // matter which state of the database that replica has.
    async query(sql, parameters, newest) {
      const session = database.withSession(newest ? "first-primary" : "first-unconstrained");
      const { results } = await session
        .prepare(sql)
        .bind(...parameters)
        .all<Row>();
      return results;
    },
    async write(statements) {
      const results = await database.batch(statements.map((sql) => database.prepare(sql)));
      return results.at(-1)?.meta.changes ?? 0;
    },
    batchBytes: 250_000,
  };
}

function readStateRow([row]: Row[]): State {
  if (!row) throw new DamagedStateError("D1 holds no state");
  const { version, count, revision, previous, switched_at, sources } = row;
  return {
    version: Number(version),
    count: Number(count),
    revision: String(revision),
    previous: String(previous),
    switchedAt: switched_at === null ? undefined : String(switched_at),
    sources: typeof sources === "string" ? JSON.parse(sources) : undefined,
  };
}

function readBlockRows(rows: Row[]): Block[] {
  return rows
    .filter(({ first }) => first !== null)
    .map(({ first, text }) => ({ first: Number(first), text: String(text) }));
}

/** What a local database reports while another process writes to it; nothing was executed then. */
const BUSY = ["SQLITE_BUSY", "database is locked", "Failed to get session commit token"];

/**
 * What D1 reports when the same statement may well succeed a moment later. Its other errors (overload, time and memory
 * limits, the daily limits of the free plan) would only get worse with another attempt.
 */
const TRANSIENT = [
  ...BUSY,
  "Network connection lost",
  "storage caused object to be reset",
  "reset because its code was updated",
  "Cannot resolve D1 DB due to transient issue",
  "client disconnected",
];

function isBusy(error: unknown): boolean {
  return BUSY.some((message) => String(error).includes(message));
}

function isTransient(error: unknown): boolean {
  return TRANSIENT.some((message) => String(error).includes(message));
}
