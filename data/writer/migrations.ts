import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { isTableMissing, type SqlDatabase } from "../../src/store/d1.ts";
import { createLocalD1, transact } from "./local-stores.ts";
import { PROJECT } from "./wrangler.ts";

/** The folder of the migrations. */
export const MIGRATIONS = join(PROJECT, "data/migrations");

/** The table in which wrangler notes which migrations it applied. */
const TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

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

/** Applies the migrations that a local database does not have yet, each as one transaction, as wrangler does. */
export async function applyMigrations(database: DatabaseSync): Promise<void> {
  const find = () => listMissing(createLocalD1(database));
  for (const name of await find()) {
    const sql = await readFile(join(MIGRATIONS, name), "utf8");
    const note = `INSERT INTO d1_migrations (name) VALUES ('${name}')`;
    await transact(database, () => database.exec(`${TABLE};\n${sql};\n${note}`)).catch(async (error) => {
      // Another process that starts at the same time may have applied it.
      if ((await find()).includes(name)) throw error;
    });
  }
}
