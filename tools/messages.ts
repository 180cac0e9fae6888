import { inspect } from "node:util";
import { escapeInvisible } from "../src/escape.ts";

/** Formats a value as JSON in a line of at most `max` characters, and a value that JSON cannot represent as Node does, such as `1n`. */
export function formatValue(value: unknown, max = 60): string {
  const text = escapeInvisible((value === undefined ? "missing" : toText(value)).slice(0, max + 1));
  // A copy, because a slice would keep the whole text in memory.
  return text.length > max ? `${Buffer.from(text.slice(0, max - 1))}…` : text;
}

function toText(value: unknown): string {
  // JSON has only null for NaN and Infinity.
  if (typeof value === "number") return String(value);
  try {
    return JSON.stringify(value) ?? inspect(value);
  } catch {
    return inspect(value, { breakLength: Number.POSITIVE_INFINITY });
  }
}

/** Formats a number with its noun: `1 page`, `2 pages`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

// The error codes of SQLite that mean something to these commands (sqlite.org/rescode.html).
export const SQLITE_BUSY = 5;
export const SQLITE_CORRUPT = 11;
export const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;
export const SQLITE_READONLY_DIRECTORY = 1544;
const SQLITE_IOERR_SHMSIZE = 4874;
const SQLITE_IOERR_GETTEMPPATH = 6410;

const DAMAGED = "it is damaged. Delete it, and load the records again";

/** The meanings of error codes of SQLite and the operating system. Each one follows a path and a verb in a message. */
const FILE_ERRORS = new Map<unknown, string>([
  [SQLITE_CORRUPT, DAMAGED],
  [SQLITE_NOTADB, DAMAGED],
  [SQLITE_BUSY, "another process is using it. Run the command again when it has ended"],
  [SQLITE_FULL, "the disk is full"],
  // There is no space for the `-shm` file, which even readers need.
  [SQLITE_IOERR_SHMSIZE, "the disk is full"],
  [
    SQLITE_IOERR_GETTEMPPATH,
    "no folder for temporary files can be written. Set SQLITE_TMPDIR to one with free space, or mount one: docker run --tmpfs /tmp",
  ],
  ["ENOENT", "it does not exist"],
  ["EEXIST", "a part of the path is not a directory"],
  ["EISDIR", "it is a directory"],
  ["ENOTDIR", "a part of the path is not a directory"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EROFS", "the file system is read-only"],
  ["ENOSPC", "the disk is full"],
]);

/** Returns the code of an error of SQLite (a number) or of the operating system. */
export function getErrorCode(error: unknown): string | number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode;
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

export function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Gets the message of the innermost cause of "fetch failed". If several addresses of a host failed, uses the first error. */
export function getInnermostMessage(error: unknown): string {
  if (error instanceof AggregateError) return getInnermostMessage(error.errors[0]);
  const isWrapped = error instanceof Error && error.cause instanceof Error;
  return isWrapped ? getInnermostMessage(error.cause) : getMessage(error);
}

/** Whether the language or the runtime threw an error. The errors that commands expect are of other types. */
function isBug(error: unknown): error is Error {
  return [TypeError, RangeError, ReferenceError, SyntaxError].some((type) => error instanceof type);
}

/** Describes why a command failed: the message of an expected error, and the stack of a bug. */
export function describeError(error: unknown): string {
  const stack = isBug(error) ? error.stack : undefined;
  return stack ?? getMessage(error);
}

/** Describes why a file cannot be read or written, such as `the disk is full`. */
export function describeFileError(error: unknown): string {
  return FILE_ERRORS.get(getErrorCode(error)) ?? getMessage(error);
}

export function createWriteError(path: string, cause: unknown): Error {
  // A file is created if it is missing, but its folder is not.
  const isMissing = getErrorCode(cause) === "ENOENT";
  const reason = isMissing ? "its folder does not exist" : describeFileError(cause);
  return new Error(`${path} cannot be written: ${reason}`, { cause });
}

/** Explains why SQLite cannot write a temporary file. Returns other errors unchanged. */
export function explainTemporaryFileError(error: unknown): unknown {
  const code = getErrorCode(error);
  if (code !== SQLITE_FULL && code !== SQLITE_IOERR_GETTEMPPATH) return error;
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  return createWriteError(`A temporary file in ${SQLITE_TMPDIR || TMPDIR || "/var/tmp"}`, error);
}
