import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Block } from "../../../src/store/block.ts";
import {
  buildSnapshotQuery,
  createD1Store,
  isMissingTableError,
  type SqlDatabase,
} from "../../../src/store/d1.ts";
import { FORMAT, NOTHING_LOADED, requireSnapshot, type Snapshot } from "../../../src/store/snapshot.ts";
import { PROJECT } from "../../paths.ts";
import {
  type Capacity,
  OTHER_WRITER,
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

/** The ids of the snapshots that keep their blocks. */
const KEPT = "SELECT id FROM snapshot WHERE id IS NOT NULL";

/** Creates a store that commands write to. Transactions decide between concurrent loads, so the store needs no clock and no wait. */
export function createWritableD1Store(database: WritableDatabase): WritableStore {
  const { batchBytes, requireSpace } = database;
  const store = createD1Store(database);
  return {
    ...store,
    readCurrent: (options) =>
      store.readCurrent(options).catch(async (error) => {
        if (!isMissingTableError(error.cause)) throw error;
        const { applied } = await readMigrations(database);
        if (applied.length > 0) throw new OtherTablesError();
        return { snapshot: NOTHING_LOADED };
      }),
    async readPrevious() {
      const [row] = await database.query(buildSnapshotQuery("previous"), [], "first-primary");
      return row && requireSnapshot(row);
    },
    batchBytes,
    requireSpace,
    propagationMs: 0,
    write: (id, blocks) => database.write(blocks.map((block) => buildInsert(id, block))),
    // The switch counts the blocks.
    findMissingBlocks: async () => [],
    async switchTo(next, options) {
      if ((await database.run(buildSwitch(next, options))) > 0) return;
      if (options.onlyIfEmpty) throw new RejectedSwitchError(SAMPLE_DATA_REJECTED);
      const message = "Another load ran at the same time and deleted the blocks of this one. Run it again.";
      throw new RejectedSwitchError(message);
    },
    async switchBack({ id }) {
      const isCurrent = `EXISTS (SELECT 1 FROM snapshot WHERE role = 'current' AND id = ${quoteSqlString(id)})`;
      const sql = `UPDATE OR REPLACE snapshot SET role = 'current' WHERE role = 'previous' AND ${isCurrent}`;
      if ((await database.run(sql)) === 0) throw new RejectedSwitchError(OTHER_WRITER);
    },
    /**
     * First forgets the previous snapshot, so that an undo never finds it without its blocks. Also deletes the blocks of a running load.
     * The switch of that load then fails, so at least one of the two loads succeeds.
     */
    async sweep() {
      await database.run("DELETE FROM snapshot WHERE role = 'previous'");
      await deleteBlocks(database, "TRUE");
    },
    // A switch that seemed to fail may still happen now.
    discard: (id) => deleteBlocks(database, `snapshot = ${quoteSqlString(id)}`),
  };
}

/** Deletes the blocks that meet a condition, except for those of the current and the previous snapshot. */
async function deleteBlocks(database: WritableDatabase, condition: string): Promise<void> {
  const unused = `${condition} AND snapshot NOT IN (${KEPT})`;
  const rows = `SELECT snapshot, number FROM block WHERE ${unused} LIMIT ${DELETE_BATCH_ROWS}`;
  const sql = `DELETE FROM block WHERE (snapshot, number) IN (${rows})`;
  while ((await database.run(sql)) >= DELETE_BATCH_ROWS);
}

function buildInsert(id: string, { number, text }: Block): string {
  return `INSERT OR REPLACE INTO block VALUES (${quoteSqlString(id)}, ${number}, ${quoteSqlString(text)})`;
}

/**
 * Builds the statement that makes a snapshot the current one, and the current one the previous one. It changes nothing if a block of the
 * snapshot is missing or, with `onlyIfEmpty`, if anything was ever loaded. Repeated, it changes nothing more.
 */
function buildSwitch({ id, count, loaded_at, source }: Snapshot, { blocks, onlyIfEmpty }: SwitchOptions) {
  const loadedAt = loaded_at === null ? "NULL" : quoteSqlString(loaded_at);
  const values = [quoteSqlString(id), count, loadedAt, quoteSqlString(source), FORMAT];
  const hasAllBlocks = `(SELECT count(*) FROM block WHERE snapshot = ${quoteSqlString(id)}) = ${blocks}`;
  const isEmpty = onlyIfEmpty ? ` AND NOT EXISTS (${KEPT})` : "";
  return `INSERT OR REPLACE INTO snapshot (role, id, count, loaded_at, source, format) SELECT * FROM (
    SELECT 'previous', id, count, loaded_at, source, format FROM snapshot
      WHERE role = 'current' AND id <> ${quoteSqlString(id)} AND format = ${FORMAT}
    UNION ALL SELECT 'current', ${values}) WHERE ${hasAllBlocks}${isEmpty}`;
}

export function quoteSqlString(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export const MIGRATIONS_FOLDER = join(PROJECT, "data/migrations");

/** Thrown if the tables of a database are not those of the migrations. A load cannot replace its records. */
export class OtherTablesError extends Error {
  override message =
    "its tables were made by another version of this project. Use that version, or another database";
}

/**
 * Reads which migrations were applied to a database, and which are still to be applied, in their order.
 * @throws OtherTablesError if another version has applied one that this version lacks
 */
export async function readMigrations(database: SqlDatabase) {
  const rows = await database.query("SELECT name FROM d1_migrations", [], "first-primary").catch((error) => {
    // After any other error, the database may contain records, which the sample data must not replace.
    if (isMissingTableError(error)) return [];
    throw error;
  });
  const applied = rows.map(({ name }) => String(name));
  const names = (await readdir(MIGRATIONS_FOLDER)).filter((name) => name.endsWith(".sql")).sort();
  if (applied.some((name) => !names.includes(name))) throw new OtherTablesError();
  return { applied, unapplied: names.filter((name) => !applied.includes(name)) };
}
