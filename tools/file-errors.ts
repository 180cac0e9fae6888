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

/** The error of a file that cannot be written, in one sentence that names it. */
export function createWriteError(path: string, cause: unknown): Error {
  // The file may be missing; its folder may not.
  const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
  const reason = isMissing ? "its folder does not exist" : describeFileError(cause);
  return new Error(`${path} cannot be written: ${reason}`, { cause });
}
