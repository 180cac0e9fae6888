import { randomBytes } from "node:crypto";
import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Where text goes that is written to a path. */
export interface Destination {
  /** The path, of which the last part is no symbolic link. */
  file: string;
  /** A file of its own beside it, to write to until all is there; undefined if what the path names is no file. */
  part: string | undefined;
  /** The permissions of the file that is replaced, which the new one keeps. */
  mode: number;
}

/** Names of standard output that could not be written to a file beside them. */
const STANDARD_OUTPUT = /^\/(dev\/(stdout|fd\/1)|proc\/self\/fd\/1)$/;

/** Takes the value of `--out`, gives the path, or `-` for all names of standard output. */
export function parseOut(text: string): string {
  return STANDARD_OUTPUT.test(text) ? "-" : text;
}

/**
 * Finds where to write what a path names: through symbolic links, which stay, into a file, which is replaced, or
 * straight into a named pipe or a device, which must not be.
 * @throws if it is a directory
 */
export function findDestination(out: string): Destination {
  const present = attempt(out, () => statSync(out, { throwIfNoEntry: false }));
  if (present?.isDirectory()) throw new Error(`${out} cannot be written: it is a directory`);
  if (present && !present.isFile()) return { file: out, part: undefined, mode: present.mode };
  const file = attempt(out, () => followLinks(out));
  const part = join(dirname(file), `${basename(file)}.${randomBytes(4).toString("hex")}.part`);
  return { file, part, mode: present?.mode ?? 0o666 };
}

/** A link that leads to nothing yet is followed too. */
function followLinks(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  return followLinks(resolve(realpathSync(dirname(path)), readlinkSync(path)));
}

function attempt<T>(out: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw new Error(`${out} cannot be written: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
