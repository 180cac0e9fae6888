import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import type * as z from "zod";
import { printNotice } from "./command-line/progress.ts";
import { PROJECT } from "./project.ts";

/** The path of the wrangler module. Wrangler's launcher would start one more process. */
const WRANGLER_PATH = createRequire(import.meta.url).resolve("wrangler");

/** Environment variables that stop wrangler from sending requests that the command does not need. */
const QUIET_ENV = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
};

export interface ProcessResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a wrangler command, or replaces wrangler in a test. */
export type WranglerRunner = (args: string[]) => Promise<ProcessResult>;

/** Starts wrangler in the project's folder, by default with the input and output of this process. */
export function spawnWrangler(
  args: string[],
  env: Record<string, string> = {},
  stdio: StdioOptions = "inherit",
): ChildProcess {
  const options = { cwd: PROJECT, stdio, env: { ...process.env, ...QUIET_ENV, ...env } };
  return spawn(process.execPath, ["--no-warnings", WRANGLER_PATH, ...args], options);
}

const MAX_SHOWN_LENGTH = 100;

function formatCommandLine(args: string[]): string {
  const shown = args.map((arg) =>
    arg.length > MAX_SHOWN_LENGTH ? `${arg.slice(0, MAX_SHOWN_LENGTH)}...` : arg,
  );
  return `wrangler ${shown.join(" ")}`;
}

/** Thrown if a wrangler command fails, or prints something else than its result. */
export class WranglerError extends Error {
  /** The output of the command, which shows the reason. */
  readonly output: string;

  constructor(args: string[], problem: string, output: string) {
    super(`${formatCommandLine(args)} ${problem}:\n${output}`);
    this.output = output;
  }
}

/** Wrangler waits up to five minutes for a response before it repeats a request, and prints nothing during that time. */
const SLOW_COMMAND_MS = 60_000;

/** Prints a notice if a wrangler command is still running after a minute. @param command Settles when the command ends */
function notifyIfSlow<T>(args: string[], command: Promise<T>): Promise<T> {
  const notice = `Still waiting for \`${formatCommandLine(args)}\`. Cloudflare may be slow. It is safe to stop and to repeat this command.`;
  const timer = setTimeout(printNotice, SLOW_COMMAND_MS, notice);
  return command.finally(() => clearTimeout(timer));
}

/**
 * Runs one wrangler command, without prompts.
 * @returns The standard output of the command
 * @throws WranglerError
 */
export async function runWrangler(args: string[], wrangler: WranglerRunner = runProcess): Promise<string> {
  const { status, stdout, stderr } = await notifyIfSlow(args, wrangler(args));
  // Wrangler colors some errors even if NO_COLOR is set, and one error recommends an option that our commands do not have.
  const output = stripVTControlCharacters(`${stdout}\n${stderr}`)
    .replace(/^.*`--temporary`.*$/m, "")
    .trim();
  if (status !== 0) throw new WranglerError(args, "failed", output);
  return stdout;
}

/**
 * Runs one wrangler command that prints JSON.
 * @throws WranglerError Also if the output is not what the schema describes
 */
export async function runWranglerJson<T>(
  schema: z.ZodType<T>,
  args: string[],
  wrangler?: WranglerRunner,
): Promise<T> {
  const output = await runWrangler(args, wrangler);
  try {
    return schema.parse(JSON.parse(output));
  } catch {
    throw new WranglerError(args, "did not print the expected JSON", output.trim() || "(no output)");
  }
}

// With any other log level, wrangler prints more than the result, or nothing. It prefers these variables to lines in `.env`.
const PARSED_OUTPUT_ENV = { CI: "1", NO_COLOR: "1", WRANGLER_LOG: "log" };

async function runProcess(args: string[]): Promise<ProcessResult> {
  const child = spawnWrangler(args, PARSED_OUTPUT_ENV, ["ignore", "pipe", "pipe"]);
  const read = (stream: Readable | null) => (stream === null ? "" : text(stream));
  const [status, stdout, stderr] = await Promise.all([
    waitForExit(child),
    read(child.stdout),
    read(child.stderr),
  ]);
  return { status, stdout, stderr };
}

/** Waits for the exit status of a child process. If a signal ends this process, the child is stopped too, so that it writes no more. */
export async function waitForExit(child: ChildProcess): Promise<number | null> {
  const stop = () => child.kill();
  process.once("exit", stop);
  const [status] = await once(child, "close").finally(() => process.off("exit", stop));
  return status;
}
