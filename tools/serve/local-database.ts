import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { listMigrations } from "../../data/stores/migrations.ts";

/**
 * The key from which the local simulator of D1 derives the names of database files. With the same key, workerd opens the same
 * file.
 */
export const DATABASE_KEY = "miniflare-D1DatabaseObject";

/**
 * Whether a local database has all migrations and a collection. Reading its file takes milliseconds; starting the simulator to
 * ask it takes half a second.
 * @param folder the folder of the databases
 * @param id the id of the database
 */
export async function isLoaded(folder: string, id: string): Promise<boolean> {
  const file = join(folder, DATABASE_KEY, `${createObjectId(id)}.sqlite`);
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare("SELECT name FROM d1_migrations").all();
    const applied = new Set(rows.map(({ name }) => name));
    const state = database.prepare("SELECT load FROM state").get();
    return state?.load !== "" && (await listMigrations()).every((name) => applied.has(name));
  } catch {
    // The tables are missing, or another process is creating them.
    return false;
  } finally {
    database.close();
  }
}

/** The id of the Durable Object with this name, as workerd derives it: a hash of the name, and a hash of that. */
function createObjectId(name: string): string {
  const key = createHash("sha256").update(DATABASE_KEY).digest();
  const hash = (data: string | Buffer) => createHmac("sha256", key).update(data).digest().subarray(0, 16);
  const start = hash(name);
  return Buffer.concat([start, hash(start)]).toString("hex");
}
