import { createHash, createHmac, randomBytes } from "node:crypto";
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { SqlRow } from "../../src/store/d1.ts";
import { createWriteError, describeFileError, isSqliteFull } from "../messages.ts";
import { listMissingMigrations, MIGRATIONS_FOLDER, type WritableDatabase } from "./d1-writer.ts";
import type { WritableNamespace } from "./kv-writer.ts";

// `wrangler dev` keeps a D1 database, and the keys of a KV namespace, in the SQLite database of a durable object. The commands
// open these files themselves: through the runtime, a load takes up to three times as long, and 200 MB more.

/** How long a statement waits for that of another process. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Gets the path of the SQLite database of a durable object.
 * @param folder The folder of all objects of one product.
 * @param className The name of the object's class in the runtime.
 */
export function getObjectDatabasePath(folder: string, className: string, name: string): string {
  return join(folder, className, `${deriveObjectId(className, name)}.sqlite`);
}

/**
 * Opens the SQLite database of a durable object.
 * @param writable whether it is created if it does not exist; otherwise, an empty one in memory is opened instead
 * @throws Error if the file cannot be opened
 */
export function openObjectDatabase(path: string, writable: boolean): DatabaseSync {
  try {
    if (writable) mkdirSync(dirname(path), { recursive: true });
    else accessSync(path, constants.R_OK);
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    // Without permission to write, a database can still be read if another process has it open.
    database.exec(
      writable ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL" : "PRAGMA user_version",
    );
    return database;
  } catch (cause) {
    if (Object(cause).code === "ENOENT" && !writable) return new DatabaseSync(":memory:");
    throw new Error(`${path} cannot be opened: ${describeFileError(cause)}`, { cause });
  }
}

/** The id that the runtime gives to an object with this name. */
function deriveObjectId(className: string, name: string): string {
  const key = createHash("sha256").update(className).digest();
  const sign = (data: string | Buffer) => createHmac("sha256", key).update(data).digest().subarray(0, 16);
  const signature = sign(name);
  return Buffer.concat([signature, sign(signature)]).toString("hex");
}

/**
 * Runs an action as one transaction. Before it, the process can handle a signal.
 * @throws Error that names the file if the disk is full, or any error of the action
 */
export async function runTransaction<T>(database: DatabaseSync, action: () => T): Promise<T> {
  await setImmediate();
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = action();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw isSqliteFull(error) ? createWriteError(database.location() ?? "The database", error) : error;
  }
}

/** A D1 database on this machine. */
export function createLocalDatabase(database: DatabaseSync): WritableDatabase {
  return {
    query: async (sql, parameters) => database.prepare(sql).all(...parameters) as SqlRow[],
    write: (statements) =>
      runTransaction(database, () => {
        for (const sql of statements) database.prepare(sql).run();
      }),
    run: (sql) => runTransaction(database, () => Number(database.prepare(sql).run().changes)),
    // Other processes wait while a transaction is open.
    batchBytes: 250_000,
  };
}

/** The table in which wrangler notes which migrations it applied. */
const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/** Applies the migrations that a local database does not have yet, each as one transaction, as wrangler does. */
export async function applyMigrations(database: DatabaseSync): Promise<void> {
  const list = () => listMissingMigrations(createLocalDatabase(database));
  for (const name of await list()) {
    const sql = readFileSync(join(MIGRATIONS_FOLDER, name), "utf8");
    const note = `INSERT INTO d1_migrations (name) VALUES ('${name}')`;
    await runTransaction(database, () => database.exec(`${MIGRATIONS_TABLE};\n${sql};\n${note}`)).catch(
      async (cause) => {
        // Another process that starts at the same time may have applied it.
        if (!(await list()).includes(name)) return;
        const advice = `Correct the file and run the command again, or remove ${database.location()} to start with an empty store.`;
        throw new Error(`data/migrations/${name} failed: ${describeFileError(cause)}. ${advice}`, { cause });
      },
    );
  }
}

/** The runtime keeps each value in a file, whose name is in this table. Such a file never changes. */
const NAMESPACE_SCHEMA = `
  CREATE TABLE IF NOT EXISTS _mf_entries (key TEXT PRIMARY KEY, blob_id TEXT NOT NULL, expiration INTEGER, metadata TEXT);
  CREATE INDEX IF NOT EXISTS _mf_entries_expiration_idx ON _mf_entries (expiration)`;

/** The length of a random name, in bytes. */
const BLOB_NAME_BYTES = 40;

/** How long a file without a key stays, because another process may have read its name and not opened it yet. */
const BLOB_GRACE_MS = 20;

/**
 * Creates a KV namespace on this machine, whose table is created if it does not exist, and whose folder when it is needed.
 * @param database the keys
 * @param folder the values
 */
export function createLocalNamespace(
  database: DatabaseSync,
  folder: string,
  blobGraceMs = BLOB_GRACE_MS,
): WritableNamespace {
  database.exec(NAMESPACE_SCHEMA);
  const list = database.prepare("SELECT key FROM _mf_entries WHERE substr(key, 1, ?2) = ?1 ORDER BY key");
  const select = database.prepare("SELECT blob_id FROM _mf_entries WHERE key = ?");
  const insert = database.prepare("INSERT OR REPLACE INTO _mf_entries (key, blob_id) VALUES (?, ?)");
  const names = database.prepare("SELECT blob_id FROM _mf_entries");
  const remove = database.prepare("DELETE FROM _mf_entries WHERE key = ?");
  return {
    get: async (keys) => keys.map((key) => readValue(folder, select.get(key)?.blob_id)),
    async put(pairs) {
      const files = pairs.map((pair) => ({ ...pair, name: randomBytes(BLOB_NAME_BYTES).toString("hex") }));
      try {
        mkdirSync(folder, { recursive: true });
        for (const { name, value } of files) writeFileSync(join(folder, name), value);
      } catch (cause) {
        throw createWriteError(folder, cause);
      }
      await runTransaction(database, () => {
        for (const { key, name } of files) insert.run(key, name);
      });
    },
    /** Also removes the files that have no key: those of replaced values, and of writes that failed or were killed. */
    async delete(keys) {
      await runTransaction(database, () => {
        for (const key of keys) remove.run(key);
      });
      mkdirSync(folder, { recursive: true });
      const files = readdirSync(folder);
      await setTimeout(blobGraceMs);
      const named = new Set(names.all().map(({ blob_id }) => blob_id));
      for (const name of files) if (!named.has(name)) rmSync(join(folder, name), { force: true });
    },
    list: async (prefix = "") => list.all(prefix, prefix.length).map(({ key }) => String(key)),
    batchBytes: 250_000,
  };
}

/** Null if there is no such key, or if its file was removed meanwhile. */
function readValue(folder: string, name: unknown): string | null {
  if (name === undefined) return null;
  try {
    return readFileSync(join(folder, String(name)), "utf8");
  } catch (error) {
    if (Object(error).code === "ENOENT") return null;
    throw error;
  }
}
