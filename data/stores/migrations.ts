import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SqlDatabase } from "../../src/store/d1.ts";
import type { WritableDatabase } from "./d1-writer.ts";
import { PROJECT } from "./wrangler.ts";

/** The folder of the migrations. */
export const MIGRATIONS = join(PROJECT, "data/migrations");

/** The table in which wrangler notes which migrations it applied. */
const TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/** The names of all migrations, in their order. */
export async function listMigrations(): Promise<string[]> {
  return (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).sort();
}

/** The names of the migrations that a database does not have yet, in their order. */
export async function listMissing(database: SqlDatabase): Promise<string[]> {
  const rows = await database.query("SELECT name FROM d1_migrations", [], true).catch((error) => {
    // Any other error does not say that the database is empty, and must not lead to a load over what is there.
    if (String(error).includes("no such table")) return [];
    throw error;
  });
  const applied = new Set(rows.map(({ name }) => name));
  return (await listMigrations()).filter((name) => !applied.has(name));
}

/** Applies the migrations that a local database does not have yet, each as one transaction, as wrangler does. */
export async function applyMigrations(database: WritableDatabase): Promise<void> {
  const names = await listMissing(database);
  // Reading needs no lock, and waits for no other process.
  if (names.length > 0) await database.write([TABLE]);
  for (const name of names) {
    const statements = splitStatements(await readFile(join(MIGRATIONS, name), "utf8"));
    const note = `INSERT INTO d1_migrations (name) VALUES ('${name}')`;
    await database.write([...statements, note]).catch(async (error) => {
      // Another process that starts at the same time may have applied it.
      if ((await listMissing(database)).includes(name)) throw error;
    });
  }
}

/**
 * Splits a migration into its statements, each of which ends with a semicolon at the end of a line. A test compares
 * this with wrangler's own way, which would take a second and 100 MB to import.
 */
export function splitStatements(sql: string): string[] {
  return sql
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}
