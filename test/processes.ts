import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Finished } from "./run-command.ts";

/** Waits for the end of a process and collects its output. */
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
