import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Block } from "../../src/store/block.ts";
import { createD1Store, isTableMissing, type SqlDatabase } from "../../src/store/d1.ts";
import { NOTHING_LOADED, type StateRead } from "../../src/store/state.ts";
import { PROJECT } from "./wrangler.ts";
import { type NextState, RefusedSwitchError, type WritableStore } from "./writer.ts";

/** A D1 database to which commands write: through wrangler's command line, or as a file on this machine. */
export interface WritableDatabase extends SqlDatabase {
  /**
   * Runs statements that write, as one transaction. They are text with literals, because wrangler's command line takes no
   * parameters.
   */
  write(statements: string[]): Promise<void>;
  /**
   * Runs one statement that writes.
   * @param sql short enough for a command line
   * @returns how many rows it changed
   */
  change(sql: string): Promise<number>;
  /** Bytes of statements that one call of `write` should be given. */
  batchBytes: number;
}

/** Rows that one statement removes, about 4 MB. */
export const SWEPT_ROWS = 300;

/** A D1 database as a store that commands write to. Its transactions decide between loads, so it needs no clock and no wait. */
export function createWritableD1(database: WritableDatabase): WritableStore {
  const store = createD1Store(database);
  const remove = async (rows: string) => {
    const sql = `DELETE FROM block WHERE (load, number) IN (SELECT load, number FROM (${rows} LIMIT ${SWEPT_ROWS}))`;
    while ((await database.change(sql)) >= SWEPT_ROWS);
  };
  return {
    ...store,
    readState: (options) => store.readState(options).catch(replaceMissing),
    batchBytes: database.batchBytes,
    settleMs: 0,
    write: (load, blocks) => database.write(blocks.map((block) => insert(load, block))),
    // The switch counts them.
    listLost: async () => [],
    async switchTo(next, blocks, isFirst) {
      if ((await database.change(switchStatement(next, blocks, isFirst))) > 0) return;
      throw new RefusedSwitchError(
        isFirst
          ? "Something was loaded meanwhile, so the seed was not."
          : "Another load ran at the same time and removed the records of this one.",
      );
    },
    /** Another load that is running loses its blocks. Its switch then fails, so at least one of the two succeeds. */
    sweep: () =>
      remove(`SELECT block.load, number FROM state JOIN block ON block.load < state.load
        UNION ALL SELECT block.load, number FROM state JOIN block ON block.load > state.load`),
    discard: (load) =>
      // A switch that seemed to fail may happen as late as now.
      remove(
        `SELECT block.load, number FROM state JOIN block ON block.load = ${quoteText(load)} AND block.load <> state.load`,
      ),
  };
}

/** Nothing was ever loaded into a database without tables. */
function replaceMissing(error: Error): StateRead {
  if (isTableMissing(error.cause)) return { state: NOTHING_LOADED };
  throw error;
}

function insert(load: string, { number, text }: Block): string {
  return `INSERT OR REPLACE INTO block VALUES (${quoteText(load)}, ${number}, ${quoteText(text)})`;
}

/** It writes no row unless all blocks of the load are there and, if nothing may be replaced, nothing was ever loaded. */
function switchStatement({ load, count, source }: NextState, blocks: number, isFirst: boolean): string {
  const loaded_at = new Date().toISOString();
  const isComplete = `(SELECT count(*) FROM block WHERE load = ${quoteText(load)}) = ${blocks}`;
  const isAllowed = isFirst ? " AND NOT EXISTS (SELECT 1 FROM state WHERE load <> '')" : "";
  return `INSERT OR REPLACE INTO state (only, load, count, loaded_at, sequence, source)
    SELECT 1, ${quoteText(load)}, ${count}, ${quoteText(loaded_at)}, coalesce((SELECT sequence FROM state), 0) + 1, ${quoteText(source)}
    WHERE ${isComplete}${isAllowed}`;
}

/** Writes a text as a literal of SQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The folder of the migrations. */
export const MIGRATIONS = join(PROJECT, "data/migrations");

/** The names of the migrations that a database does not have yet, in their order. */
export async function listMissing(database: SqlDatabase): Promise<string[]> {
  const rows = await database.query("SELECT name FROM d1_migrations", [], true).catch((error) => {
    // Any other error does not say that the database is empty, and must not lead to a load over what is there.
    if (isTableMissing(error)) return [];
    throw error;
  });
  const applied = new Set(rows.map(({ name }) => name));
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).sort();
  return names.filter((name) => !applied.has(name));
}
