import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { PIPE } from "./copy-file.ts";

/** What SQLite says when another connection has the lock. */
const SQLITE_BUSY = 5;

/**
 * Keeps other crawls from a file, as long as this process lives. The lock is that of SQLite on an empty database beside
 * the file: the operating system lifts it however the process ends, so a file that is left there means nothing.
 * @returns what lifts it
 * @throws Error if another crawl has it
 */
export function lockFile(out: string): () => void {
  if (out === PIPE) return () => {};
  const path = `${out}.lock`;
  const database = openLock(path);
  if (!database) return () => {};
  const unlock = () => {
    process.off("exit", unlock);
    rmSync(path, { force: true });
    database.close();
  };
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    if (!(cause instanceof Error && "errcode" in cause && cause.errcode === SQLITE_BUSY)) throw cause;
    throw new Error(`${out} is being written by another crawl, which must end first`, { cause });
  }
  process.once("exit", unlock);
  return unlock;
}

/** Where there can be no lock there can be no copy either, which the first attempt to write it says better. */
function openLock(path: string): DatabaseSync | undefined {
  try {
    return new DatabaseSync(path);
  } catch {
    return undefined;
  }
}
