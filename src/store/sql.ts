import { BLOCK_SIZE, type Block } from "./blocks.ts";
import { ABANDONED_MS, type NewState } from "./store.ts";

/**
 * The statements that write a collection to D1, as text with literals: the same text runs through the worker's binding
 * and through wrangler's command line, which takes no parameters.
 */

/** D1 refuses a statement of more than 100 KB. */
const STATEMENT_BYTES = 90_000;

/** Rows that one statement of a sweep removes, about 8 MB. */
export const SWEPT_ROWS = 200;

const encoder = new TextEncoder();

/**
 * Inserts blocks for a new state. An append writes only while the state is still the one that it continues, so it can
 * never overwrite a block of a state that was switched to meanwhile.
 */
export function* insertBlocks(
  blocks: Iterable<Block>,
  { version, revision, base }: Pick<NewState, "version" | "revision" | "base">,
): Generator<string> {
  const condition = base ? ` WHERE (SELECT revision FROM state) = ${quote(base.revision)}` : "";
  const columns = "(version, first, revision, text)";
  for (const { first, text } of blocks) {
    const [beginning = "", ...rest] = cut(text);
    const values = `${version}, ${first}, ${quote(revision)}, ${quote(beginning)}`;
    yield `INSERT OR REPLACE INTO blocks ${columns} SELECT ${values}${condition}`;
    const row = `version = ${version} AND first = ${first} AND revision = ${quote(revision)}`;
    for (const piece of rest) yield `UPDATE blocks SET text = text || ${quote(piece)} WHERE ${row}`;
  }
}

/**
 * Switches to a new state, to be run as one transaction. Writing the state fails (NOT NULL), and with it the
 * transaction, unless every block of the new state is there and, for an append, the state is still the one that it
 * continues.
 */
export function* switchStatements(state: NewState, switchedAt: string): Generator<string> {
  const { version, count, revision, statistics, base, firstWritten } = state;
  let part = 0;
  for (const text of cut(JSON.stringify(statistics)))
    yield `INSERT INTO statistics (revision, part, text) VALUES (${quote(revision)}, ${part++}, ${quote(text)})`;
  const expected = Math.ceil((count - firstWritten + 1) / BLOCK_SIZE);
  const unchanged = base ? ` AND (SELECT revision FROM state) = ${quote(base.revision)}` : "";
  const isComplete = `(
    SELECT count(*) FROM blocks
    WHERE version = ${version} AND first >= ${firstWritten} AND revision = ${quote(revision)}
  ) = ${expected}${unchanged}`;
  yield `INSERT OR REPLACE INTO state (only, version, count, revision, previous, switched_at, sources) VALUES (
    1,
    ${version},
    CASE WHEN ${isComplete} THEN ${count} END,
    ${quote(revision)},
    coalesce((SELECT revision FROM state), ''),
    ${quote(switchedAt)},
    ${statistics.sources ? quote(JSON.stringify(statistics.sources)) : "NULL"}
  )`;
  yield "DELETE FROM statistics WHERE revision <> (SELECT revision FROM state)";
}

/** Whether a transaction failed because `switchStatements` found that something else was written. */
export function isConflict(error: unknown): boolean {
  return String(error).includes("NOT NULL constraint failed: state.count");
}

/**
 * Removes some of the blocks of other versions: those that were replaced, and those of loads that never reached their
 * switch. A newer version may belong to a load that is running.
 * @param now milliseconds since 1970
 */
export function sweepStatement(now: number): string {
  const current = "(SELECT version FROM state)";
  return `DELETE FROM blocks WHERE (version, first) IN (
    SELECT version, first FROM blocks WHERE version < ${current}
    UNION ALL
    SELECT version, first FROM blocks WHERE version > ${current} AND version < ${now - ABANDONED_MS}
    LIMIT ${SWEPT_ROWS}
  )`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Cuts a text into pieces that fit into one statement each, even if every character takes several bytes. */
function cut(text: string): string[] {
  if (text.length * 2 < STATEMENT_BYTES || encoder.encode(quote(text)).length <= STATEMENT_BYTES)
    return [text];
  const pieces: string[] = [];
  const longest = STATEMENT_BYTES / 4;
  for (let start = 0; start < text.length; ) {
    let end = start + longest;
    // Never between the two halves of a surrogate pair.
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? "")) end -= 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}
