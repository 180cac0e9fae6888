import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";

/** Formats a value that came from outside as JSON for a message, cut to a number of characters. */
export function formatValue(value: unknown, max = 60): string {
  const json = escapeInvisible(JSON.stringify(value));
  return json.length > max ? `${json.slice(0, max - 1).toWellFormed()}…` : json;
}

/** Escapes characters that the terminal would not show, or that would change how it shows the rest. */
export function escapeInvisible(text: string): string {
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character.split("").map(escapeUnit).join(""),
  );
}

/** Formats a number with its noun: `1 page`, `2 pages`. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** What the operating system's error codes mean, as the end of a sentence that begins with a path. */
const REASONS: Record<string, string> = {
  ENOENT: "it does not exist",
  EEXIST: "it is not a directory",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is not a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENAMETOOLONG: "the path is too long",
  ELOOP: "its symbolic links lead in a circle",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file would be larger than allowed here",
  EMFILE: "too many files are open",
};

/** Describes why a file cannot be read or written, such as `the disk is full`. */
export function describeFileError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return REASONS[code] ?? error.message;
}

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
