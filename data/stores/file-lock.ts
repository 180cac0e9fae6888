import { DatabaseSync } from "node:sqlite";

/** A lock that another process holds, or that this process holds until it is released or garbage-collected. */
export type FileLock = { isHeld: true; release(): void } | { isHeld: false; heldBy: number | undefined };

/** The error code of SQLite if another connection holds the lock. */
const SQLITE_BUSY = 5;

/** How long another process may take to write its id. */
const TIMEOUT_MS = 200;

/**
 * Locks a file for this process. The file is a SQLite database whose version is the id of the process, and the lock is SQLite's:
 * the operating system releases it however the process ends, so a file that was left behind does no harm.
 * @param path of the lock's own file, which is created
 * @throws Error if no file can be written there
 */
export function lockFile(path: string): FileLock {
  const database = new DatabaseSync(path, { timeout: TIMEOUT_MS });
  try {
    takeLock(database);
    return { isHeld: true, release: () => database.close() };
  } catch (cause) {
    if (!isBusy(cause)) {
      database.close();
      throw cause;
    }
    const heldBy = readOwner(database);
    database.close();
    return { isHeld: false, heldBy };
  }
}

/** Others can read the id only when it is committed, which releases the lock, so the id is compared when the lock is taken. */
function takeLock(database: DatabaseSync): void {
  for (;;) {
    database.exec(`PRAGMA user_version = ${process.pid}; BEGIN IMMEDIATE`);
    if (readOwner(database) === process.pid) return;
    database.exec("ROLLBACK");
  }
}

/** @returns undefined if it cannot be read at this moment */
function readOwner(database: DatabaseSync): number | undefined {
  try {
    return Number(database.prepare("PRAGMA user_version").get()?.user_version) || undefined;
  } catch {
    return undefined;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
