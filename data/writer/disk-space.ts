import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { describeFileError } from "../messages.ts";

/** How large SQLite lets the log beside a database become, before it copies the log into the database. */
const LOG_BYTES = 4_000_000;

/**
 * A write to a local store leaves this free for the log. Without it, what a failed load wrote could not be removed, and the
 * database could not even be read.
 */
export const RESERVED_BYTES = LOG_BYTES + 2_000_000;

/**
 * Says that a file or a folder cannot be used because its disk is full.
 * @param reserve more about what is free
 */
export function describeFullDisk(path: string, reserve = ""): string {
  const free = readFreeBytes(path);
  const amount = free === undefined ? "" : ` ${formatMegabytes(free)} are free${reserve}.`;
  return `${path} cannot be written: the disk is full.${amount}`;
}

/** @param reusable the bytes that are free inside the database of a local store */
function describeReserve(reusable: number): string {
  const inside = reusable > 0 ? `, and ${formatMegabytes(reusable)} inside the database` : "";
  return `${inside}; a load leaves ${formatMegabytes(RESERVED_BYTES)} free for the log of the database`;
}

/** The error of a file that cannot be written, in one sentence that names it. */
export function createWriteError(path: string, cause: unknown): Error {
  if (isDiskFull(cause, path)) return new Error(describeFullDisk(path), { cause });
  // The file may be missing; its folder may not.
  const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
  const reason = isMissing ? "its folder does not exist" : describeFileError(cause);
  return new Error(`${path} cannot be written: ${reason}`, { cause });
}

/** The memory that the processes share that read a database is a file of this size. */
const SHARED_BYTES = 32_768;

/**
 * What the operating system and SQLite report if a disk is full. If there is no space for the shared memory of a database, which
 * reading needs too, SQLite reports an I/O error.
 * @param path a file or a folder on this disk
 */
export function isDiskFull(error: unknown, path: string): boolean {
  if (/ENOSPC|database or disk is full/.test(String(error))) return true;
  return String(error).includes("disk I/O error") && Number(readFreeBytes(path)) < SHARED_BYTES;
}

/** @returns undefined for a device, and if the file system does not report it */
function readFreeBytes(path: string): number | undefined {
  try {
    const existing = statSync(path, { throwIfNoEntry: false });
    if (existing && !existing.isFile() && !existing.isDirectory()) return undefined;
    const { bavail, bsize } = statfsSync(existing ? path : dirname(path));
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** Blocks take this share of the space more than their text, because pages and files are not filled. */
const WASTE = 0.5;

/**
 * Keeps what is reserved for the log on the disk of a local store.
 * @param reuses whether blocks use the space that is free inside the database; those of a namespace are files of their own
 */
export function createSpaceGuard(folder: string, database: DatabaseSync, reuses: boolean) {
  const read = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  const countReusable = () => (reuses ? read("freelist_count") * read("page_size") : 0);
  return {
    /** @throws Error with the message of SQLite for a full disk if texts of this size do not fit */
    requireSpace(bytes: number): void {
      const file = database.location() ?? "";
      const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      // Pages in the log that the file of the database does not have yet.
      const unwritten = read("page_count") * read("page_size") - statSync(file).size;
      const reserved = RESERVED_BYTES - Math.min(log, LOG_BYTES) + Math.max(unwritten, 0);
      const free = (readFreeBytes(folder) ?? Number.POSITIVE_INFINITY) - reserved;
      if (free < 0 || free + countReusable() < bytes * (1 + WASTE))
        throw new Error("database or disk is full");
    },
    /**
     * The error of a store, in one sentence if the reason is that the disk is full. What failed is removed already. An error that
     * names another file, such as the output of an export, is returned unchanged.
     */
    explain(cause: unknown): unknown {
      if (!isDiskFull(cause, folder)) return cause;
      let reusable = 0;
      try {
        // The log is removed when the database is closed, so its space is free too.
        database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        reusable = countReusable();
      } catch {} // The database cannot even be read.
      return new Error(describeFullDisk(folder, describeReserve(reusable)), { cause });
    },
  };
}

export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
