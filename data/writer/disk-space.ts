import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { describeFileError } from "../messages.ts";

/**
 * A write to a local store stops when less than this is free: SQLite keeps up to 4 MB of writes beside a database. Without that
 * space, what a failed load wrote could not be removed, and the database could not even be read.
 */
export const RESERVED_BYTES = 6_000_000;

/** A file or a folder cannot be written because its disk is full. */
export class DiskFullError extends Error {
  /**
   * @param path the file or its folder
   * @param needed bytes, if they are known
   */
  constructor(path: string, needed?: number, options?: ErrorOptions) {
    const free = readFreeBytes(existsSync(path) ? path : dirname(path));
    const amount = needed === undefined ? "" : `, and ${formatMegabytes(needed)} are needed`;
    super(
      `${path} cannot be written: the disk is full. ${formatMegabytes(free)} are free${amount}.`,
      options,
    );
  }
}

/** The error of a file that cannot be written, in one sentence that names it. */
export function createWriteError(path: string, cause: unknown): Error {
  if (isDiskFull(cause)) return new DiskFullError(path, undefined, { cause });
  // The file may be missing; its folder may not.
  const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
  const reason = isMissing ? "its folder does not exist" : describeFileError(cause);
  return new Error(`${path} cannot be written: ${reason}`, { cause });
}

/** What the operating system and SQLite report if a disk is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof DiskFullError || /ENOSPC|database or disk is full/.test(String(error));
}

/** 0 if the file system does not report it. */
export function readFreeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
