import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The maximum length of the message of a version, in characters. */
const MESSAGE_LENGTH = 100;

/** @throws an error that names the folder, if it is not in a repository or git is not installed */
async function git(folder: string, ...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)("git", args, { cwd: folder })).stdout.trim();
  } catch (cause) {
    throw new Error(`${folder} is not in a git repository, or git is not installed.`, { cause });
  }
}

/** The changed and untracked files, one a line; empty if everything is committed. */
export function listChanges(folder: string): Promise<string> {
  return git(folder, "status", "--porcelain");
}

/** The branch that is checked out; empty if there is none, or no repository. */
export function readBranch(folder: string): Promise<string> {
  return git(folder, "branch", "--show-current").catch(() => "");
}

/**
 * The address of the remote `origin` without what differs between its clones: protocol, user and `.git`. Empty if there is no
 * such remote.
 */
export async function readOrigin(folder: string): Promise<string> {
  const url = await git(folder, "config", "--get", "remote.origin.url").catch(() => "");
  return url
    .toLowerCase()
    .replace(/^[a-z+]+:\/\//, "")
    .replace(/^[^/@]*@/, "")
    .replace(/^([^/:]+):(?!\d+\/)/, "$1/")
    .replace(/(\.git)?\/*$/, "");
}

/**
 * The options of wrangler that record the commit in a version of the worker: the abbreviated id, with `-dirty` if there
 * are uncommitted changes, and the first line of the message. Outside of a repository there are none.
 */
export async function readCommitOptions(folder: string): Promise<string[]> {
  const commit = await git(folder, "log", "-1", "--format=%h%n%s").catch(() => "");
  if (commit === "") return [];
  const [id = "", subject = ""] = commit.split("\n");
  const tag = (await listChanges(folder)) === "" ? id : `${id}-dirty`;
  return ["--tag", tag, "--message", subject.slice(0, MESSAGE_LENGTH)];
}
