import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { createWriteError } from "../messages.ts";

/** The folder of wrangler.toml. */
export const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** The module of wrangler's command line, without the extra process of its launcher. */
const WRANGLER_PATH = createRequire(import.meta.url).resolve("wrangler");

/** Environment variables that stop wrangler from sending requests that the command does not need. */
const QUIET_ENV = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
};

/** The end of a program, and what it printed. */
export interface ProcessResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a wrangler command, or replaces wrangler in a test. */
export type WranglerRunner = (args: string[]) => Promise<ProcessResult>;

/** Starts wrangler in the project's folder; its input and output are those of this process. */
export function spawnWrangler(args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ["--no-warnings", WRANGLER_PATH, ...args], {
    cwd: PROJECT,
    stdio: "inherit",
    env: { ...process.env, ...QUIET_ENV, ...env },
  });
}

/** Characters of an argument that a message shows; a statement has up to 50,000. */
const MAX_SHOWN_LENGTH = 100;

function formatCommandLine(args: string[]): string {
  const shown = args.map((arg) =>
    arg.length > MAX_SHOWN_LENGTH ? `${arg.slice(0, MAX_SHOWN_LENGTH)}...` : arg,
  );
  return `wrangler ${shown.join(" ")}`;
}

/** A wrangler command failed. */
export class WranglerError extends Error {
  /** What it printed, in which its reason can be recognised. */
  readonly output: string;

  constructor(args: string[], output: string) {
    super(`${formatCommandLine(args)} failed:\n${output}`);
    this.output = output;
  }
}

/** Wrangler waits five minutes for a response before it repeats a request, and prints nothing during that time. */
const SLOW_COMMAND_MS = 60_000;

/** Prints a notice if a wrangler command has not ended after a minute. @param ended settles when the command ends */
export function notifyIfSlow<T>(
  args: string[],
  ended: Promise<T>,
  notify: Notify = console.error,
): Promise<T> {
  const text = `Still waiting for \`${formatCommandLine(args)}\`. Cloudflare may be slow. It is safe to stop and to repeat this command.`;
  const timer = setTimeout(notify, SLOW_COMMAND_MS, text);
  return ended.finally(() => clearTimeout(timer));
}

/** Prints a line for the user. */
export type Notify = (line: string) => void;

interface RunOptions {
  /** Replaces wrangler in tests. */
  wrangler?: WranglerRunner | undefined;
  notify?: Notify | undefined;
}

/**
 * Runs one wrangler command, without prompts.
 * @returns its standard output
 * @throws WranglerError
 */
export async function runWrangler(
  args: string[],
  { wrangler = runProcess, notify }: RunOptions = {},
): Promise<string> {
  const { status, stdout, stderr } = await notifyIfSlow(args, wrangler(args), notify);
  // Some of wrangler's errors are coloured even if NO_COLOR is set, and one names an option that our commands do not take.
  const output = stripVTControlCharacters(`${stdout}\n${stderr}`)
    .replace(/^.*`--temporary`.*$/m, "")
    .trim();
  if (status !== 0) throw new WranglerError(args, output);
  return stdout;
}

async function runProcess(args: string[]): Promise<ProcessResult> {
  const child = spawn(process.execPath, ["--no-warnings", WRANGLER_PATH, ...args], {
    cwd: PROJECT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...QUIET_ENV, CI: "1", NO_COLOR: "1" },
  });
  const ended = Promise.all([waitForExit(child), text(child.stdout), text(child.stderr)]);
  const [status, stdout, stderr] = await ended;
  return { status, stdout, stderr };
}

/** Waits for the exit status of a program. If a signal ends this process, the program must not continue to write. */
export async function waitForExit(child: ChildProcess): Promise<number | null> {
  const stop = () => child.kill();
  process.once("exit", stop);
  const [status] = await once(child, "close").finally(() => process.off("exit", stop));
  return status;
}

let folder: string | undefined;

/**
 * The path of a file for this process alone, which is removed when the process ends.
 * @throws Error if TMPDIR cannot be used
 */
export function getTemporaryPath(name: string): string {
  folder ??= createTemporaryFolder(join(tmpdir(), "traffic-count-records-"));
  return join(folder, name);
}

function createTemporaryFolder(prefix: string): string {
  try {
    const created = mkdtempSync(prefix);
    process.once("exit", () => rmSync(created, { recursive: true, force: true }));
    return created;
  } catch (cause) {
    throw createWriteError(prefix, cause);
  }
}
