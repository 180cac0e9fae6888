import type { TrafficRecord } from "../records/record.ts";
import { gatherStatistics, type Statistics } from "../records/statistics.ts";
import { COLUMNS } from "./d1.ts";
import type { Continued, State } from "./store.ts";

/** D1 refuses a statement of more than 100 KB. */
const STATEMENT_BYTES = 90_000;

/** Characters of the statistics in one row, each of them a byte. */
const PART_LENGTH = 60_000;

const INSERT = `INSERT INTO records (version, position, ${COLUMNS.join(", ")}) VALUES `;

const encoder = new TextEncoder();

/** One SQL statement of a load and the number of records that have been written after it. */
export interface Statement {
  sql: string;
  written: number;
}

/** What interrupted loads left. Ranges of the primary keys, so that nothing is read but what goes. */
const SWEEP = [
  "DELETE FROM records WHERE version < (SELECT version FROM state)",
  "DELETE FROM records WHERE version > (SELECT version FROM state)",
  "DELETE FROM records WHERE version = (SELECT version FROM state) AND position > (SELECT count FROM state)",
  "DELETE FROM statistics WHERE (version, count) <> (SELECT version, count FROM state)",
];

/**
 * The statements of a load, in order: sweep up what an interrupted one left, write, switch, remove the old version.
 * The switch fails (NOT NULL), and leaves the state as it was, unless every record of the new version is there.
 * @param records oldest first; as many as `state.count`
 */
export function* loadStatements(records: Iterable<TrafficRecord>, state: State): Generator<Statement> {
  const { version, count } = state;
  for (const sql of SWEEP) yield { sql, written: 0 };
  const gathering = gatherStatistics();
  yield* insertRecords(gathering.pass(records), version);
  yield* insertStatistics(gathering.statistics(), state);
  const whole = `SELECT CASE count(*) WHEN ${count} THEN ${count} END FROM records WHERE version = ${version}`;
  yield { sql: switchTo(state, whole, new Date(version)), written: count };
  yield { sql: `DELETE FROM records WHERE version <> ${version}`, written: count };
  yield { sql: `DELETE FROM statistics WHERE version <> ${version}`, written: count };
}

/**
 * The statements of an append, in order: sweep up, write the records under a version of their own, and, in the last
 * few, make them records of the current version and switch. The switch fails (NOT NULL), and leaves the state as it
 * was, unless all of them are there and the state is still the one that the append began from.
 * @param records oldest first; `count` less those that are loaded
 * @param count records in the collection afterwards
 * @param own a version that no load has
 */
export function* appendStatements(
  records: Iterable<TrafficRecord>,
  { state: { version, count: before }, statistics }: Continued,
  count: number,
  own: number,
): Generator<Statement> {
  for (const sql of SWEEP) yield { sql, written: 0 };
  const gathering = gatherStatistics(statistics);
  yield* insertRecords(gathering.pass(records), own, before);
  yield* insertStatistics(gathering.statistics(), { version: own, count });
  const unchanged = `EXISTS (SELECT 1 FROM state WHERE version = ${version} AND count = ${before})`;
  const whole = `
    SELECT CASE count(*) WHEN ${count - before} THEN ${count} END FROM records
    WHERE version = ${version} AND position > ${before} AND ${unchanged}`;
  for (const sql of [
    `UPDATE records SET version = ${version} WHERE version = ${own} AND ${unchanged}`,
    `UPDATE statistics SET version = ${version} WHERE version = ${own} AND ${unchanged}`,
    switchTo({ version, count }, whole, new Date()),
    `DELETE FROM statistics WHERE version <> ${version} OR count <> ${count}`,
  ])
    yield { sql, written: count - before };
}

/**
 * The statements of an append in one transaction, which adds all of the records or none: then nobody sees the state
 * before its records, and they need no version of their own. The switch fails (NOT NULL) if the state is no longer the
 * one that the append began from. Sweeps up only what would be in the way: another load may be writing its version.
 * @param records oldest first; few enough for one transaction
 */
export function appendAtOnce(
  records: readonly TrafficRecord[],
  { state: { version, count: before }, statistics }: Continued,
): string[] {
  const count = before + records.length;
  const gathering = gatherStatistics(statistics);
  const inserted = [...insertRecords(gathering.pass(records), version, before)];
  const unchanged = `SELECT ${count} FROM state WHERE version = ${version} AND count = ${before}`;
  return [
    switchTo({ version, count }, unchanged, new Date()),
    `DELETE FROM records WHERE version = ${version} AND position > ${before}`,
    `DELETE FROM statistics WHERE version = ${version}`,
    ...[...inserted, ...insertStatistics(gathering.statistics(), { version, count })].map(({ sql }) => sql),
  ];
}

/**
 * An append in one transaction after a sweep, as one piece of SQL that a file must hold whole. It writes half the rows of
 * `appendStatements`, which makes each record twice.
 */
export function appendTogether(records: readonly TrafficRecord[], loaded: Continued): Statement {
  return { sql: [...SWEEP, ...appendAtOnce(records, loaded)].join(";\n"), written: records.length };
}

/** @param count a query that gives the count, or null if it must not be switched */
function switchTo({ version }: State, count: string, loadedAt: Date): string {
  const values = [1, version, `(${count})`, toLiteral(loadedAt.toISOString())];
  return `INSERT OR REPLACE INTO state (only, version, count, loaded_at) VALUES (${values.join(", ")})`;
}

/** @param before the position after which the records begin */
function* insertRecords(records: Iterable<TrafficRecord>, version: number, before = 0): Generator<Statement> {
  let rows: string[] = [];
  let bytes = 0;
  let written = 0;
  for (const record of records) {
    const row = toRow(record, version, before + written + 1);
    const size = encoder.encode(row).byteLength + 1;
    if (bytes + size > STATEMENT_BYTES) {
      yield { sql: INSERT + rows, written };
      rows = [];
      bytes = 0;
    }
    rows.push(row);
    bytes += size;
    written += 1;
  }
  if (rows.length > 0) yield { sql: INSERT + rows, written };
}

function* insertStatistics(statistics: Statistics, { version, count }: State): Generator<Statement> {
  const text = toAscii(JSON.stringify(statistics));
  for (let part = 0; part * PART_LENGTH < text.length; part++) {
    const values = [version, count, part, `'${text.slice(part * PART_LENGTH, (part + 1) * PART_LENGTH)}'`];
    yield { sql: `INSERT INTO statistics (version, count, part, text) VALUES (${values})`, written: count };
  }
}

/** The same JSON with nothing in it that takes several bytes, or that a literal would have to double. */
function toAscii(json: string): string {
  return json.replaceAll(
    /[^ -~]|'/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function toRow(record: TrafficRecord, version: number, position: number): string {
  return `(${[version, position, ...COLUMNS.map((column) => toLiteral(record[column]))]})`;
}

function toLiteral(value: string | number | null): string {
  if (value === null) return "NULL";
  return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
}
