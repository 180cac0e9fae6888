import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";

export interface Finished {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Waits for the end of a process, and for all that it writes. */
export async function finish(
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
): Promise<Finished> {
  const [[status], stdout, stderr] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { status, stdout, stderr };
}

/** Runs `npm run SCRIPT -- ...` to its end. */
export function runScript(script: string, args: string[], input = ""): Promise<Finished> {
  const command = ["run", "--silent", script, "--", ...args];
  const child = spawn("npm", command, { stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(input);
  return finish(child);
}

/** Runs `npm run data -- ...` to its end. How far it was on its way is left out: that depends on how fast it was. */
export async function runData(args: string[], input?: string): Promise<Finished> {
  const finished = await runScript("data", args, input);
  return { ...finished, stderr: finished.stderr.replaceAll(PROGRESS, "") };
}

const PROGRESS = /^[a-z ]+: .*(\d\/s|so far|left)\n/gm;
