import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createWriteError } from "./disk-space.ts";

/** The error code of SQLite if another connection holds the lock. */
const SQLITE_BUSY = 5;

/** How long another process may take to write its id. */
const TIMEOUT_MS = 200;

/**
 * Locks a file for this process. The file is a SQLite database whose version is the id of the process, and the lock is SQLite's:
 * the operating system releases it however the process ends, so a file that was left behind does no harm.
 * @param path of the lock's own file, which is created
 * @param subject what the lock protects, for the message
 * @returns a function that releases the lock
 * @throws Error if another process holds the lock, or if the file cannot be written
 */
export function lockFile(path: string, subject: string): () => void {
  let database: DatabaseSync | undefined;
  try {
    // SQLite would not say what is wrong with the folder.
    accessSync(`${dirname(path)}/.`, constants.W_OK);
    database = new DatabaseSync(path, { timeout: TIMEOUT_MS });
    takeLock(database);
    return database.close.bind(database);
  } catch (cause) {
    const owner = database && findOwner(database);
    database?.close();
    if (Object(cause).errcode !== SQLITE_BUSY) throw createWriteError(path, cause);
    const other = owner === undefined ? "Another process" : `Process ${owner}`;
    throw new Error(`${other} is writing to ${subject}. Run the command again when it has ended.`);
  }
}

/** Others can read the id only when it is committed, which releases the lock, so the id is compared when the lock is taken. */
function takeLock(database: DatabaseSync): void {
  for (;;) {
    database.exec(`PRAGMA user_version = ${process.pid}; BEGIN IMMEDIATE`);
    if (findOwner(database) === process.pid) return;
    database.exec("ROLLBACK");
  }
}

/** @returns undefined if it cannot be read at this moment */
function findOwner(database: DatabaseSync): number | undefined {
  try {
    return Number(database.prepare("PRAGMA user_version").get()?.user_version) || undefined;
  } catch {
    return undefined;
  }
}
