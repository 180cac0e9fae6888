import { type SpawnOptions, spawn } from "node:child_process";
import { Console } from "node:console";
import { type EventEmitter, once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { vi } from "vitest";
import { runCommand } from "../../tools/command-line/program.ts";
import { createDataProgram } from "../../tools/data/data-command.ts";
import type { ProcessResult } from "../../tools/wrangler.ts";

/** How a command ended, and what it printed. */
export type Finished = ProcessResult;

/** Waits for the end of a process and collects its output. */
export async function finish(
  child: EventEmitter & { stdout: Readable; stderr: Readable },
): Promise<Finished> {
  const [[status], stdout, stderr] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { status, stdout, stderr };
}

/** Runs a program without input to its end. */
export function runProcess(program: string, args: string[], options?: SpawnOptions): Promise<Finished> {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  return finish(child);
}

/** Settles when all earlier commands have ended. The streams belong to the whole process, so only one can run at a time. */
let earlier: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in this process, with its own streams. The command behaves as in a process of its own, without the
 * second that Node takes to start.
 */
export function runInProcess(program: Command, args: string[], { input = "" } = {}): Promise<Finished> {
  const finished = earlier.then(async () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const printed = Promise.all([text(stdout), text(stderr)]);
    const { exitCode } = process;
    process.exitCode = undefined;
    const spies = [
      replace(process, "stdin", Readable.from(input === "" ? [] : [Buffer.from(input)])),
      replace(process, "stdout", stdout),
      replace(process, "stderr", stderr),
      replace(globalThis, "console", new Console(stdout, stderr)),
    ];
    try {
      await runCommand(program, args);
      const status = Number(process.exitCode ?? 0);
      stdout.end();
      stderr.end();
      const [output, errors] = await printed;
      return { status, stdout: output, stderr: errors };
    } finally {
      for (const spy of spies) spy.mockRestore();
      process.exitCode = exitCode;
    }
  });
  earlier = finished.catch(() => {});
  return finished;
}

/** Runs `npm run data -- ...` in this process. Lines of progress are left out: they depend on how fast it was. */
export async function runData(args: string[], input?: string): Promise<Finished> {
  const finished = await runInProcess(createDataProgram(), args, { input });
  return { ...finished, stderr: removeProgress(finished.stderr) };
}

export function removeProgress(stderr: string): string {
  return stderr.replaceAll(/^[a-z ]+: .*(\/s|so far|left)\n/gm, "");
}

/** Replaces a property, even one that is read-only, until the returned spy restores it. */
function replace(owner: object, name: string, value: unknown) {
  return vi.spyOn(owner as Record<string, unknown>, name, "get").mockReturnValue(value);
}
