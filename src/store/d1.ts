import type { D1Database } from "@cloudflare/workers-types";
import { PAGE_SIZE } from "../records/page.ts";
import { gatherStatistics, type Statistics } from "../records/statistics.ts";
import { BLOCK_SIZE, type Block, blockStarts, countInBlocks } from "./blocks.ts";
import { retry, SHORT_PAUSES } from "./retry.ts";
import {
  type BlockOwner,
  ConflictError,
  createState,
  DamagedStateError,
  type DeadWrites,
  MissingBlockError,
  type NewState,
  parseStatistics,
  type State,
  type StateStatistics,
  type Store,
} from "./store.ts";

/*
 * The collection in a D1 database with the tables of data/migrations. The state and the blocks of a page are read in one
 * statement, so they always belong together. All statements that write are text with literals, because the same text runs
 * through the worker's binding and through wrangler's command line, which takes no parameters.
 */

type Row = Record<string, string | number | null>;

/** A D1 database: the worker's binding, wrangler's command line, or a file on this machine. It retries what fails for a moment. */
export interface SqlDatabase {
  /**
   * Runs one statement that reads.
   * @param newest true to read from the primary database, not from a replica
   */
  query(sql: string, parameters: (string | number | null)[], newest: boolean): Promise<Row[]>;
  /**
   * Runs statements that write, as one transaction.
   * @returns how many rows the last one changed
   */
  write(statements: string[]): Promise<number>;
  /** Bytes of statements that one call of `write` should be given. */
  batchBytes: number;
}

/** The columns of a state. `?1` is the revision that the reader knows; it needs the tail only if there is another one. */
const STATE_COLUMNS = `state.load, count, state.revision, previous, sequence, switched_at, sources,
  CASE WHEN state.revision IS NOT ?1 THEN tail END AS tail`;

const STATE_QUERY = `SELECT ${STATE_COLUMNS} FROM state`;

const STATISTICS_QUERY = `SELECT ${STATE_COLUMNS}, text
  FROM state LEFT JOIN statistics ON statistics.revision = state.revision ORDER BY part`;

/** The position of the oldest record of a page that has records. */
const OLDEST = `max(1, last - ${PAGE_SIZE - 1})`;

/**
 * Reads the state and the one or two blocks of a page of it, each by its primary key: a range of positions would read one row
 * more, to find its end. `?2` is the page, null for the last one; `?3` is the count of an earlier state, null for the current
 * one. D1 passes numbers as reals, whose division would not be whole.
 */
export const PAGE_QUERY = `
  WITH requested AS (
    SELECT *, ${inBlocks("count")} AS in_blocks, coalesce(CAST(?3 AS INTEGER), count) AS as_of FROM state
  ), located AS (
    SELECT *, as_of - ${PAGE_SIZE} * (
      coalesce(CAST(?2 AS INTEGER), max(1, (as_of + ${PAGE_SIZE - 1}) / ${PAGE_SIZE})) - 1
    ) AS last FROM requested
  )
  SELECT ${STATE_COLUMNS.replaceAll("state.", "located.")},
    older.first, older.text, newer.first AS newer_first, newer.text AS newer_text
  FROM located
  LEFT JOIN blocks AS older ON older.load = located.load AND older.first =
    CASE WHEN as_of <= count AND last >= 1 AND ${OLDEST} <= in_blocks THEN ${startOf(OLDEST)} END
  LEFT JOIN blocks AS newer ON newer.load = located.load AND newer.first =
    CASE WHEN as_of <= count AND last <= in_blocks AND ${startOf("last")} > ${startOf(OLDEST)} THEN ${startOf("last")} END`;

const BLOCKS_QUERY = "SELECT first, text FROM blocks WHERE load = ?1 AND first BETWEEN ?2 AND ?3";

/** The position of the first record of the block that holds a position. */
function startOf(position: string): string {
  return `${position} - (${position} - 1) % ${BLOCK_SIZE}`;
}

function inBlocks(count: string): string {
  return `${count} - ${count} % ${BLOCK_SIZE}`;
}

/** @param isExclusive whether the database is locked, so that no other writer can be running */
export function createD1Store(database: SqlDatabase, isExclusive = false): Store {
  const sweep = async (dead: DeadWrites) => {
    while ((await database.write([sweepStatement(dead)])) >= SWEPT_ROWS);
  };
  return {
    trustMs: 5_000,
    lagMs: 0,
    takesAppends: true,
    isExclusive,
    batchBytes: database.batchBytes,
    async readState({ known, newest = false } = {}) {
      return parseState(await database.query(STATE_QUERY, [known?.revision ?? null], newest), known);
    },
    async readPage({ page }, { known, newest = false }) {
      const parameters = [known?.revision ?? null, page === "last" ? null : page, null];
      const rows = await database.query(PAGE_QUERY, parameters, newest);
      return { state: parseState(rows, known), blocks: parseBlocks(rows) };
    },
    async readBlocks({ load }, range) {
      const starts = blockStarts(range);
      const rows = await database.query(BLOCKS_QUERY, [load, starts[0] ?? 0, starts.at(-1) ?? 0], true);
      const blocks = new Map(parseBlocks(rows).map((block) => [block.first, block]));
      return starts.map((start) => {
        const block = blocks.get(start);
        if (!block) throw new MissingBlockError(`D1 has no block at position ${start} of load ${load}`);
        return block;
      });
    },
    readStatistics: (newest = false) => readStatistics(database, newest),
    async writeBlocks(blocks, owner) {
      await database.write([...insertBlocks(blocks, owner)]);
    },
    switchTo: (next, expected) => switchTo(database, next, expected),
    sweep,
    discard: (_, { revision }) => sweep({ names: [revision], before: "" }),
  };
}

async function readStatistics(database: SqlDatabase, newest: boolean): Promise<StateStatistics> {
  const rows = await database.query(STATISTICS_QUERY, [null], newest);
  const state = parseState(rows);
  if (state.load === "") return { state, statistics: gatherStatistics().statistics() };
  return { state, statistics: parseStatistics(rows.map(({ text }) => text ?? "").join("")) };
}

async function switchTo(database: SqlDatabase, next: NewState, expected: State): Promise<State> {
  const state = createState(next, expected);
  try {
    await database.write([...switchStatements(state, next.statistics, expected)]);
  } catch (cause) {
    throw isConflict(cause) ? new ConflictError({ cause }) : cause;
  }
  return state;
}

/** The binding of a worker. */
export function bindDatabase(database: D1Database): SqlDatabase {
  const policy = { isTransient, ...SHORT_PAUSES };
  return {
    // Reads go to the nearest replica, if there are replicas: each response comes from one statement, so it does not
    // matter which state of the database that replica has.
    query: (sql, parameters, newest) =>
      retry(async () => {
        const session = database.withSession(newest ? "first-primary" : "first-unconstrained");
        const { results } = await session
          .prepare(sql)
          .bind(...parameters)
          .all<Row>();
        return results;
      }, policy),
    write: (statements) =>
      retry(async () => {
        const results = await database.batch(statements.map((sql) => database.prepare(sql)));
        return results.at(-1)?.meta.changes ?? 0;
      }, policy),
    batchBytes: 250_000,
  };
}

/** @param known the state whose tail was not read again if the revision is still the same */
function parseState([row]: Row[], known?: State): State {
  if (!row) throw new DamagedStateError("D1 holds no state");
  const { load, count, revision, previous, sequence, switched_at, sources, tail } = row;
  return {
    load: String(load),
    count: Number(count),
    tail: tail === null ? (known?.tail ?? "") : String(tail),
    revision: String(revision),
    previous: JSON.parse(String(previous)),
    sequence: Number(sequence),
    switchedAt: switched_at === null ? undefined : String(switched_at),
    sources: JSON.parse(String(sources)),
  };
}

/** The blocks of rows that have a block, or a second one that is newer. */
function parseBlocks(rows: Row[]): Block[] {
  return rows
    .flatMap(({ first, text, newer_first = null, newer_text = null }) => [
      { first, text },
      { first: newer_first, text: newer_text },
    ])
    .filter(({ first }) => first !== null)
    .map(({ first, text }) => ({ first: Number(first), text: String(text) }));
}

/** D1 refuses a statement of more than 100 KB. */
const STATEMENT_BYTES = 90_000;

/** Rows that one statement of a sweep removes, about 8 MB. */
export const SWEPT_ROWS = 400;

/**
 * Inserts blocks for a new state. An append writes only while the state is still the one that it continues, so it never
 * replaces a block of a state that was switched to meanwhile.
 */
function* insertBlocks(blocks: Block[], { load, revision, base }: BlockOwner): Generator<string> {
  const condition = base ? ` WHERE (SELECT revision FROM state) = ${quote(base.revision)}` : "";
  for (const { first, text } of blocks) {
    const [beginning, ...rest] = cut(text, STATEMENT_BYTES);
    const values = `${quote(load)}, ${first}, ${quote(revision)}, ${quote(beginning)}`;
    yield `INSERT OR REPLACE INTO blocks (load, first, revision, text) SELECT ${values}${condition}`;
    const row = `load = ${quote(load)} AND first = ${first} AND revision = ${quote(revision)}`;
    for (const piece of rest) yield `UPDATE blocks SET text = text || ${quote(piece)} WHERE ${row}`;
  }
}

/**
 * Switches to a new state, to be run as one transaction. Writing the state fails (NOT NULL), and with it the transaction,
 * unless the state is still the one that was seen and every added block is there and is of this write.
 */
function* switchStatements(state: State, statistics: Statistics, expected: State): Generator<string> {
  const { load, count, tail, revision, previous, sequence, switchedAt, sources } = state;
  const from = load === expected.load ? countInBlocks(expected.count) + 1 : 1;
  const added = `SELECT count(*) FROM blocks WHERE load = ${quote(load)}
    AND first BETWEEN ${from} AND ${countInBlocks(count)} AND revision = ${quote(revision)}`;
  const isComplete = `(${added}) = ${(countInBlocks(count) - from + 1) / BLOCK_SIZE}`;
  const isUnchanged = `coalesce((SELECT revision FROM state), '') = ${quote(expected.revision)}`;
  const tails = cut(tail, STATEMENT_BYTES / 2);
  const sourceTexts = cut(JSON.stringify(sources), STATEMENT_BYTES / 3);
  yield `INSERT INTO state (only, load, count, tail, revision, previous, sequence, switched_at, sources) VALUES (
    1, ${quote(load)}, CASE WHEN ${isUnchanged} AND ${isComplete} THEN ${count} END, ${quote(tails[0])},
    ${quote(revision)}, ${quote(JSON.stringify(previous))}, ${sequence}, ${quote(switchedAt ?? "")},
    ${quote(sourceTexts[0])}
  ) ON CONFLICT DO UPDATE SET load = excluded.load, count = excluded.count, tail = excluded.tail,
    revision = excluded.revision, previous = excluded.previous, sequence = excluded.sequence,
    switched_at = excluded.switched_at, sources = excluded.sources`;
  for (const piece of tails.slice(1)) yield `UPDATE state SET tail = tail || ${quote(piece)}`;
  for (const piece of sourceTexts.slice(1)) yield `UPDATE state SET sources = sources || ${quote(piece)}`;
  const parts = cut(JSON.stringify(statistics), STATEMENT_BYTES);
  for (const [part, text] of parts.entries())
    yield `INSERT INTO statistics (part, revision, text) VALUES (${part}, ${quote(revision)}, ${quote(text)})
      ON CONFLICT DO UPDATE SET revision = excluded.revision, text = excluded.text`;
  yield `DELETE FROM statistics WHERE part >= ${parts.length}`;
}

/** Whether a transaction failed because `switchStatements` found that something else was written. */
function isConflict(error: unknown): boolean {
  return String(error).includes("NOT NULL constraint failed: state.count");
}

/**
 * Removes some blocks of dead writes: of other loads than the current one and, of the current one, those that an append wrote
 * behind its blocks and never switched to.
 */
function sweepStatement({ names, before }: DeadWrites): string {
  const isDead = (name: string) => `(${name} < ${quote(before)} OR ${name} IN (${names.map(quote).join()}))`;
  const select = "SELECT blocks.load, first FROM state JOIN blocks ON";
  return `DELETE FROM blocks WHERE (load, first) IN (SELECT load, first FROM (
    ${select} blocks.load < state.load WHERE ${isDead("blocks.load")}
    UNION ALL ${select} blocks.load > state.load WHERE ${isDead("blocks.load")}
    UNION ALL ${select} blocks.load = state.load AND first > ${inBlocks("count")} WHERE ${isDead("blocks.revision")}
    LIMIT ${SWEPT_ROWS}
  ))`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const encoder = new TextEncoder();

/** UTF-8 needs at most this many bytes for a UTF-16 unit; quoting makes two bytes of one. */
const UNIT_BYTES = 3;

/**
 * Cuts a text into pieces, none of which needs more bytes in a statement.
 * @returns at least one piece
 */
function cut(text: string, bytes: number): [string, ...string[]] {
  if (text.length * UNIT_BYTES <= bytes || encoder.encode(quote(text)).length <= bytes) return [text];
  let end = Math.floor(bytes / UNIT_BYTES);
  // Never between the two halves of a surrogate pair.
  if (/[\ud800-\udbff]/.test(text[end - 1] ?? "")) end -= 1;
  return [text.slice(0, end), ...cut(text.slice(end), bytes)];
}

/**
 * What D1 reports when the same statements may well succeed a moment later: a lost connection, or a local database to which
 * another process writes. Its other errors (overload, time and memory limits, the daily limits of the free plan) would only
 * get worse with another attempt. A switch can be repeated too: it then fails because the state is another one already.
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

/** Whether the same statements may well succeed a moment later. */
export function isTransient(error: unknown): boolean {
  return TRANSIENT.some((message) => String(error).includes(message));
}
