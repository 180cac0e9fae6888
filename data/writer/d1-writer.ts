import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Block } from "../../src/store/block.ts";
import { createD1Store, isTableMissing, type SqlDatabase } from "../../src/store/d1.ts";
import { NOTHING_LOADED, type StateRead } from "../../src/store/state.ts";
import { PROJECT } from "./wrangler.ts";
import { type NextState, RejectedSwitchError, type WritableStore } from "./writer.ts";

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
  run(sql: string): Promise<number>;
  /** Bytes of statements that one call of `write` should be given. */
  batchBytes: number;
}

/** Rows that one statement removes, about 4 MB. */
export const DELETE_BATCH_ROWS = 300;

/** A D1 database as a store that commands write to. Its transactions decide between loads, so it needs no clock and no wait. */
export function createWritableD1Store(database: WritableDatabase): WritableStore {
  const store = createD1Store(database);
  const deleteRows = async (rows: string) => {
    const sql = `DELETE FROM block WHERE (load, number) IN (SELECT load, number FROM (${rows} LIMIT ${DELETE_BATCH_ROWS}))`;
    while ((await database.run(sql)) >= DELETE_BATCH_ROWS);
  };
  return {
    ...store,
    readState: (options) => store.readState(options).catch(emptyIfTableMissing),
    batchBytes: database.batchBytes,
    propagationMs: 0,
    write: (load, blocks) => database.write(blocks.map((block) => buildInsertStatement(load, block))),
    // The switch counts them.
    findMissingBlocks: async () => [],
    async switchTo(next, blocks, onlyIfEmpty) {
      if ((await database.run(buildSwitchStatement(next, blocks, onlyIfEmpty))) > 0) return;
      throw new RejectedSwitchError(
        onlyIfEmpty
          ? "Something was loaded meanwhile, so the seed was not."
          : "Another load ran at the same time and removed the records of this one.",
      );
    },
    /** Another load that is running loses its blocks. Its switch then fails, so at least one of the two succeeds. */
    sweep: () =>
      deleteRows(`SELECT block.load, number FROM state JOIN block ON block.load < state.load
        UNION ALL SELECT block.load, number FROM state JOIN block ON block.load > state.load`),
    discard: (load) =>
      // A switch that seemed to fail may happen as late as now.
      deleteRows(
        `SELECT block.load, number FROM state JOIN block ON block.load = ${quoteSqlString(load)} AND block.load <> state.load`,
      ),
  };
}

/** Nothing was ever loaded into a database without tables. */
function emptyIfTableMissing(error: Error): StateRead {
  if (isTableMissing(error.cause)) return { state: NOTHING_LOADED };
  throw error;
}

function buildInsertStatement(load: string, { number, text }: Block): string {
  return `INSERT OR REPLACE INTO block VALUES (${quoteSqlString(load)}, ${number}, ${quoteSqlString(text)})`;
}

/** It writes no row unless all blocks of the load are there and, if nothing may be replaced, nothing was ever loaded. */
function buildSwitchStatement(
  { load, count, source }: NextState,
  blocks: number,
  onlyIfEmpty: boolean,
): string {
  const loaded_at = new Date().toISOString();
  const hasAllBlocks = `(SELECT count(*) FROM block WHERE load = ${quoteSqlString(load)}) = ${blocks}`;
  const isEmpty = onlyIfEmpty ? " AND NOT EXISTS (SELECT 1 FROM state WHERE load <> '')" : "";
  return `INSERT OR REPLACE INTO state (only, load, count, loaded_at, sequence, source)
    SELECT 1, ${quoteSqlString(load)}, ${count}, ${quoteSqlString(loaded_at)}, coalesce((SELECT sequence FROM state), 0) + 1, ${quoteSqlString(source)}
    WHERE ${hasAllBlocks}${isEmpty}`;
}

/** Writes a text as a literal of SQL. */
export function quoteSqlString(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The folder of the migrations. */
export const MIGRATIONS_FOLDER = join(PROJECT, "data/migrations");

/** The names of the migrations that a database does not have yet, in their order. */
export async function listMissingMigrations(database: SqlDatabase): Promise<string[]> {
  const rows = await database.query("SELECT name FROM d1_migrations", [], true).catch((error) => {
    // Any other error does not say that the database is empty, and must not lead to a load over what is there.
    if (isTableMissing(error)) return [];
    throw error;
  });
  const applied = new Set(rows.map(({ name }) => name));
  const names = (await readdir(MIGRATIONS_FOLDER)).filter((name) => name.endsWith(".sql")).sort();
  return names.filter((name) => !applied.has(name));
}
