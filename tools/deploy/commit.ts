import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { PROJECT } from "../../data/stores/wrangler.ts";

/** The maximum length of the message of a version, in characters. */
const MESSAGE_LENGTH = 100;

/**
 * The options of wrangler that record the commit in a version of the worker: the abbreviated id, with `-dirty` if there
 * are uncommitted changes, and the first line of the message. Outside of a repository there are none.
 */
export async function readCommitOptions(): Promise<string[]> {
  try {
    const [id = "", subject = ""] = (await git("log", "-1", "--format=%h%n%s")).split("\n");
    const isDirty = (await git("status", "--porcelain")) !== "";
    return ["--tag", isDirty ? `${id}-dirty` : id, "--message", subject.slice(0, MESSAGE_LENGTH)];
  } catch {
    return [];
  }
}

async function git(...args: string[]): Promise<string> {
  return (await promisify(execFile)("git", args, { cwd: PROJECT })).stdout.trim();
}
