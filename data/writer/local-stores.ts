import { createHash, createHmac } from "node:crypto";
import { accessSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import type { SqlRow } from "../../src/store/d1.ts";
import { describeFileError } from "../messages.ts";
import type { WritableDatabase } from "./d1-writer.ts";
import { DiskFullError, isDiskFull } from "./disk-space.ts";

// `wrangler dev` keeps a D1 database, and the keys of a KV namespace, in the SQLite database of a durable object. The commands
// open these files themselves: through the runtime, a load takes up to three times as long, and 200 MB more.

/** How long a statement waits for that of another process. */
const TIMEOUT_MS = 10_000;

/**
 * Opens the SQLite database of a durable object.
 * @param folder of all objects of one product
 * @param className the name of the object's class in the runtime
 * @param name of the object
 * @param isWritten whether it is created if it does not exist; otherwise, an empty one in memory is opened instead
 * @throws Error if the file cannot be opened
 */
export function openObject(
  folder: string,
  className: string,
  name: string,
  isWritten: boolean,
): DatabaseSync {
  const path = join(folder, className, `${deriveObjectId(className, name)}.sqlite`);
  try {
    if (isWritten) mkdirSync(dirname(path), { recursive: true });
    else accessSync(path);
    const database = new DatabaseSync(path, { timeout: TIMEOUT_MS });
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    return database;
  } catch (cause) {
    if (Object(cause).code === "ENOENT" && !isWritten) return new DatabaseSync(":memory:");
    if (isDiskFull(cause, path)) throw new DiskFullError(path, undefined, { cause });
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

/** Runs an action as one transaction. Before it, the process can handle a signal. */
export async function transact<T>(database: DatabaseSync, action: () => T): Promise<T> {
  await setImmediate();
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = action();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** A D1 database on this machine. */
export function createLocalD1(database: DatabaseSync): WritableDatabase {
  return {
    query: async (sql, parameters) => database.prepare(sql).all(...parameters) as SqlRow[],
    write: (statements) =>
      transact(database, () => {
        let changes = 0;
        for (const sql of statements) changes = Number(database.prepare(sql).run().changes);
        return changes;
      }),
    // Other processes wait while a transaction is open.
    batchBytes: 250_000,
  };
}
