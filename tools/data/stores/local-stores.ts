import { createHash, createHmac, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate, setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { SqlRow } from "../../../src/store/d1.ts";
import {
  createWriteError,
  describeFileError,
  getErrorCode,
  SQLITE_FULL,
  SQLITE_READONLY_DIRECTORY,
} from "../../messages.ts";
import { MIGRATIONS_FOLDER, readMigrations, type WritableDatabase } from "./d1-writer.ts";
import type { WritableNamespace } from "./kv-writer.ts";

// `wrangler dev` stores a D1 database, and the keys of a KV namespace, in the SQLite database of a durable object. The commands open
// these files themselves: a load of a million records through wrangler's commands takes 26 seconds longer for D1, and 200 for KV.

/** How long a statement waits while another process writes. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Opens the SQLite database of a durable object.
 * @param access For `write`, a missing file is created. For `read`, an empty database in memory stands for it
 * @throws Error if the file cannot be opened
 */
export function openDurableObject(path: string, access: "read" | "write"): DatabaseSync {
  const isWritable = access === "write";
  try {
    if (isWritable) fs.mkdirSync(dirname(path), { recursive: true });
    else fs.accessSync(path, fs.constants.R_OK);
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    // The log stays small, because it needs space on the disk, too.
    const log = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 100";
    database.exec(isWritable ? log : "PRAGMA user_version");
    return database;
  } catch (cause) {
    const code = getErrorCode(cause);
    if (code === "ENOENT" && !isWritable) return new DatabaseSync(":memory:");
    // This user may not write the log of readers beside the file, which no other process has open.
    if (code === SQLITE_READONLY_DIRECTORY && !isWritable)
      return new DatabaseSync(new URL("?immutable=1", pathToFileURL(path)), { readOnly: true });
    throw new Error(`${path} cannot be opened: ${describeFileError(cause)}`, { cause });
  }
}

/** Returns the path of a durable object below a folder. The runtime derives its id from its name, too. */
export function getDurableObjectPath(className: string, name: string): string {
  const key = createHash("sha256").update(className).digest();
  const sign = (data: string | Buffer) => createHmac("sha256", key).update(data).digest().subarray(0, 16);
  const signature = sign(name);
  const id = Buffer.concat([signature, sign(signature)]).toString("hex");
  return join(className, `${id}.sqlite`);
}

/**
 * Runs an action as one transaction. Before the transaction, the process can handle a signal.
 * @throws Error that names the file if the disk is full, or any error of the action
 */
async function runTransaction<T>(database: DatabaseSync, action: () => T): Promise<T> {
  await setImmediate();
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = action();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    if (getErrorCode(error) !== SQLITE_FULL) throw error;
    throw createWriteError(database.location() ?? "The database", error);
  }
}

/**
 * What a load leaves free on the disk, and half of it while it runs. On a full disk, nobody could read a database, because the runtime
 * logs each read on the disk, and nobody could delete blocks, because SQLite logs what it deletes.
 */
const RESERVE_BYTES = 4_000_000;

/** @throws Error if the disk of a database has fewer free bytes */
function requireFree(database: DatabaseSync, bytes: number): void {
  const path = database.location();
  if (path === null) return;
  const { bavail, bsize, blocks } = fs.statfsSync(dirname(path));
  const free = bavail * bsize;
  // Some network file systems do not know their size.
  if (free >= bytes || blocks === 0) return;
  const [neededMb, freeMb] = [Math.ceil(bytes / 1e6), Math.floor(free / 1e6)];
  throw new Error(
    `${path} cannot be written: the disk is full. The load needs ${neededMb} MB, and ${freeMb} MB are free.`,
  );
}

export function createLocalDatabase(database: DatabaseSync): WritableDatabase {
  const reusable = "SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count, pragma_page_size";
  return {
    query: async (sql, parameters) => database.prepare(sql).all(...parameters) as SqlRow[],
    async requireSpace(bytes) {
      const free = Number(database.prepare(reusable).get()?.bytes);
      requireFree(database, Math.max(0, bytes - free) + RESERVE_BYTES);
    },
    async write(statements) {
      requireFree(database, RESERVE_BYTES / 2);
      return runTransaction(database, () => {
        for (const sql of statements) database.prepare(sql).run();
      });
    },
    run: (sql) => runTransaction(database, () => Number(database.prepare(sql).run().changes)),
    // Small, because other processes wait while a transaction is open.
    batchBytes: 250_000,
  };
}

const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations
  (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** Applies the unapplied migrations in order, each as one transaction, as wrangler does. */
export async function applyMigrations(database: DatabaseSync): Promise<void> {
  const { unapplied } = await readMigrations(createLocalDatabase(database));
  for (const name of unapplied) {
    const sql = fs.readFileSync(join(MIGRATIONS_FOLDER, name), "utf8");
    await runTransaction(database, () => {
      database.exec(MIGRATIONS_TABLE);
      const insert = database.prepare("INSERT OR IGNORE INTO d1_migrations (name) VALUES (?)");
      // A concurrent process may have applied the migration.
      if (insert.run(name).changes > 0) database.exec(sql);
    }).catch((cause) => {
      const advice = `To start with an empty store, delete ${database.location()}.`;
      throw new Error(`data/migrations/${name} failed: ${describeFileError(cause)}. ${advice}`, { cause });
    });
  }
}

/** The runtime stores each value in a file, and the name of the file in this table. Such a file never changes. */
const NAMESPACE_SCHEMA = `
  CREATE TABLE IF NOT EXISTS _mf_entries (key TEXT PRIMARY KEY, blob_id TEXT NOT NULL, expiration INTEGER, metadata TEXT);
  CREATE INDEX IF NOT EXISTS _mf_entries_expiration_idx ON _mf_entries (expiration)`;

/**
 * Creates a namespace of local files. A missing table is created immediately, and a missing folder by the first write.
 * @param blobGraceMs How long a file without a key stays, because another process may be about to open it
 */
export function createLocalNamespace(
  database: DatabaseSync,
  folder: string,
  blobGraceMs = 20,
): WritableNamespace {
  database.exec(NAMESPACE_SCHEMA);
  const list = database.prepare("SELECT key FROM _mf_entries WHERE substr(key, 1, ?2) = ?1 ORDER BY key");
  const select = database.prepare("SELECT blob_id FROM _mf_entries WHERE key = ?");
  const insert = database.prepare("INSERT OR REPLACE INTO _mf_entries (key, blob_id) VALUES (?, ?)");
  const names = database.prepare("SELECT blob_id FROM _mf_entries");
  const remove = database.prepare("DELETE FROM _mf_entries WHERE key = ?");
  return {
    get: async (keys) => keys.map((key) => readValue(folder, select.get(key)?.blob_id)),
    requireSpace: async (bytes) => requireFree(database, bytes + RESERVE_BYTES),
    async put(pairs) {
      requireFree(database, RESERVE_BYTES / 2);
      const files = pairs.map((pair) => ({ ...pair, name: randomBytes(40).toString("hex") }));
      try {
        fs.mkdirSync(folder, { recursive: true });
        for (const { name, value } of files) fs.writeFileSync(join(folder, name), value);
      } catch (cause) {
        throw createWriteError(folder, cause);
      }
      await runTransaction(database, () => {
        for (const { key, name } of files) insert.run(key, name);
      });
    },
    /** Also deletes the files without a key: replaced values, and values of writes that failed or were killed. */
    async delete(keys) {
      await runTransaction(database, () => {
        for (const key of keys) remove.run(key);
      });
      fs.mkdirSync(folder, { recursive: true });
      const files = fs.readdirSync(folder);
      await setTimeout(blobGraceMs);
      const named = new Set(names.all().map(({ blob_id }) => blob_id));
      for (const name of files) if (!named.has(name)) fs.rmSync(join(folder, name), { force: true });
    },
    list: async (prefix) => list.all(prefix, prefix.length).map(({ key }) => String(key)),
    batchBytes: 250_000,
  };
}

/** Returns null if there is no such key, or if its file was just deleted. */
function readValue(folder: string, name: unknown): string | null {
  if (name === undefined) return null;
  try {
    return fs.readFileSync(join(folder, String(name)), "utf8");
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}
