import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

export interface Commit {
  /** Short, as git abbreviates it; it ends in `-dirty` if the tree is not as committed. */
  id: string;
  /** The first line of its message. */
  subject: string;
}

/** @throws in a sentence, if git is not there or the folder is not in a repository */
async function git(folder: string, ...args: string[]): Promise<string> {
  try {
    return (await execute("git", args, { cwd: folder })).stdout.trim();
  } catch (cause) {
    throw new Error(`There is no git repository here, in ${resolve(folder)}, or no git`, { cause });
  }
}

/** Files that are changed or not known to git, one a line; empty if the tree is as committed. */
export function listChanges(folder: string): Promise<string> {
  return git(folder, "status", "--porcelain");
}

/** The branch that is checked out; undefined if none is. */
export async function readBranch(folder: string): Promise<string | undefined> {
  return (await git(folder, "branch", "--show-current")) || undefined;
}

/** The commit that is checked out; undefined outside of a repository. */
export async function readCommit(folder: string): Promise<Commit | undefined> {
  try {
    const [id = "", subject = ""] = (await git(folder, "log", "-1", "--format=%h%n%s")).split("\n");
    return { id: (await listChanges(folder)) === "" ? id : `${id}-dirty`, subject };
  } catch {
    return undefined;
  }
}
