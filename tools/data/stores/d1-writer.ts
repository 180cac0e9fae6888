import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Block } from "../../../src/store/block.ts";
import { createD1Store, isMissingTableError, type SqlDatabase } from "../../../src/store/d1.ts";
import { NOTHING_LOADED, type Snapshot } from "../../../src/store/snapshot.ts";
import { PROJECT } from "../../paths.ts";
import {
  type Capacity,
  RejectedSwitchError,
  SAMPLE_DATA_REJECTED,
  type SwitchOptions,
  type WritableStore,
} from "./writer.ts";

/** A D1 database that commands write to: with wrangler, or in a local file. */
export interface WritableDatabase extends SqlDatabase, Capacity {
  /** Runs statements as one transaction. The statements contain literals, because wrangler accepts no parameters. */
  write(statements: string[]): Promise<void>;
  /**
   * Runs one statement.
   * @param sql Short enough for a command line
   * @returns The number of changed rows
   */
  run(sql: string): Promise<number>;
}

/** The number of rows that one statement deletes, about 4 MB. */
export const DELETE_BATCH_ROWS = 300;

/** Creates a store that commands write to. Transactions decide between concurrent loads, so the store needs no clock and no wait. */
export function createWritableD1Store(database: WritableDatabase): WritableStore {
  const store = createD1Store(database);
  const deleteRows = async (rows: string) => {
    const sql = `DELETE FROM block WHERE (snapshot, number) IN (SELECT snapshot, number FROM (${rows} LIMIT ${DELETE_BATCH_ROWS}))`;
    while ((await database.run(sql)) >= DELETE_BATCH_ROWS);
  };
  return {
    ...store,
    readCurrent: (options) =>
      store.readCurrent(options).catch((error) => {
        // The database is new, and has no tables yet.
        if (isMissingTableError(error.cause)) return { snapshot: NOTHING_LOADED };
        throw error;
      }),
    batchBytes: database.batchBytes,
    requireSpace: database.requireSpace,
    propagationMs: 0,
    write: (id, blocks) => database.write(blocks.map((block) => buildInsert(id, block))),
    // The switch counts the blocks.
    findMissingBlocks: async () => [],
    async switchTo(next, options) {
      if ((await database.run(buildSwitch(next, options))) > 0) return;
      throw new RejectedSwitchError(
        options.onlyIfEmpty
          ? SAMPLE_DATA_REJECTED
          : "Another load ran at the same time and deleted the blocks of this load. Run the command again.",
      );
    },
    /** Also deletes the blocks of a running load. The switch of that load then fails, so at least one of the two loads succeeds. */
    sweep: () =>
      deleteRows(`SELECT snapshot, number FROM current_snapshot JOIN block ON snapshot < id
        UNION ALL SELECT snapshot, number FROM current_snapshot JOIN block ON snapshot > id`),
    discard: (id) =>
      // A switch that seemed to fail may still happen now.
      deleteRows(
        `SELECT snapshot, number FROM block
          WHERE snapshot = ${quoteSqlString(id)} AND snapshot NOT IN (SELECT id FROM current_snapshot WHERE id IS NOT NULL)`,
      ),
  };
}

function buildInsert(id: string, { number, text }: Block): string {
  return `INSERT OR REPLACE INTO block VALUES (${quoteSqlString(id)}, ${number}, ${quoteSqlString(text)})`;
}

/** The statement changes no row if a block of the snapshot is missing or, with `onlyIfEmpty`, if anything was ever loaded. */
function buildSwitch(
  { id, count, loaded_at, source }: Snapshot,
  { blocks, onlyIfEmpty }: SwitchOptions,
): string {
  const loadedAt = loaded_at === null ? "NULL" : quoteSqlString(loaded_at);
  const values = [quoteSqlString(id), count, loadedAt, quoteSqlString(source)];
  const hasAllBlocks = `(SELECT count(*) FROM block WHERE snapshot = ${quoteSqlString(id)}) = ${blocks}`;
  const isEmpty = onlyIfEmpty ? " AND NOT EXISTS (SELECT 1 FROM current_snapshot WHERE id IS NOT NULL)" : "";
  return `INSERT OR REPLACE INTO current_snapshot (only, id, count, loaded_at, source)
    SELECT 1, ${values} WHERE ${hasAllBlocks}${isEmpty}`;
}

export function quoteSqlString(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export const MIGRATIONS_FOLDER = join(PROJECT, "data/migrations");

/** Lists the names of the migrations that were not applied to a database yet, in their order. */
export async function listUnappliedMigrations(database: SqlDatabase): Promise<string[]> {
  const rows = await database.query("SELECT name FROM d1_migrations", [], "first-primary").catch((error) => {
    // After any other error, the database may contain records, which the sample data must not replace.
    if (isMissingTableError(error)) return [];
    throw error;
  });
  const applied = new Set(rows.map(({ name }) => name));
  const names = (await readdir(MIGRATIONS_FOLDER)).filter((name) => name.endsWith(".sql")).sort();
  return names.filter((name) => !applied.has(name));
}
