import { statfsSync } from "node:fs";

/** What the operating system's error codes mean, as the end of a sentence that begins with a path. */
const REASONS: Record<string, string> = {
  ENOENT: "it does not exist",
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

/** A file or a folder cannot be written because its disk is full. */
export class DiskFullError extends Error {
  /** @param needed the bytes that are needed, if they can be estimated */
  constructor(path: string, needed?: number, options?: ErrorOptions) {
    const amount = needed === undefined ? "" : `; about ${formatMegabytes(needed)} are needed`;
    super(`${path} cannot be written: the disk is full${amount}`, options);
  }
}

/**
 * The error of a file that cannot be written, in one sentence that names it.
 * @param needed the bytes that are needed, if they can be estimated
 */
export function createWriteError(path: string, cause: unknown, needed?: number): Error {
  if (isDiskFull(cause)) return new DiskFullError(path, needed, { cause });
  // The file may be missing; its folder may not.
  const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
  const reason = isMissing ? "its folder does not exist" : describeFileError(cause);
  return new Error(`${path} cannot be written: ${reason}`, { cause });
}

/** What the operating system, SQLite and workerd report if a disk is full. */
export function isDiskFull(error: unknown): boolean {
  return (
    error instanceof DiskFullError ||
    /ENOSPC|No space left on device|database or disk is full|SQLITE_FULL/.test(String(error))
  );
}

/** A warning if a folder has less space than is needed. */
export function findSpaceProblem(folder: string, needed: number): string | undefined {
  const free = readFreeBytes(folder);
  if (free === undefined || free >= needed) return undefined;
  return `Warning: ${folder} has ${formatMegabytes(free)} of free space, and about ${formatMegabytes(needed)} are needed.`;
}

/** Undefined if the file system does not report it. */
function readFreeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
