import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import type * as z from "zod";
import { printNotice } from "./command-line/progress.ts";
import { CONFIGURATION_FILE, PROJECT } from "./paths.ts";

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

/**
 * Names the configuration of a wrangler command. Without a name, wrangler would take a wrangler.json of any folder above, or a wrangler.jsonc,
 * instead of the file that our commands read.
 * @param config The default is wrangler.toml
 */
export function nameConfiguration(args: string[], config?: string): string[] {
  return [...args, "--config", config === undefined ? CONFIGURATION_FILE : resolve(config)];
}

/** Starts wrangler in the project's folder. @param args Name the configuration */
export function spawnWrangler(
  args: string[],
  { env, stdio }: { env: Record<string, string>; stdio: StdioOptions },
): ChildProcess {
  const options = { cwd: PROJECT, stdio, env: { ...process.env, ...QUIET_ENV, ...env } };
  return spawn(process.execPath, ["--no-warnings", WRANGLER_PATH, ...args], options);
}

/** Formats a command for a message. An argument can be a long statement. */
function formatCommandLine(args: string[]): string {
  return ["wrangler", ...args].map((arg) => arg.replace(/(?<=^.{100}).+/s, "...")).join(" ");
}

/** Thrown if a wrangler command fails, or prints something else than its result. */
export class WranglerError extends Error {
  readonly output: string;

  constructor(args: string[], problem: string, output: string) {
    super(`${formatCommandLine(args)} ${problem}:\n${output}`);
    this.output = output;
  }
}

/** After this time, a notice is printed: wrangler waits up to five minutes for a response before it repeats a request. */
const SLOW_COMMAND_MS = 60_000;

interface RunOptions {
  /** The path of the configuration. The default is wrangler.toml. */
  config?: string | undefined;
  wrangler?: WranglerRunner | undefined;
}

/**
 * Runs one wrangler command, without prompts.
 * @returns The standard output of the command
 * @throws WranglerError
 */
export async function runWrangler(
  args: string[],
  { config, wrangler = runProcess }: RunOptions = {},
): Promise<string> {
  const command = nameConfiguration(args, config);
  const notice = `Still waiting for \`${formatCommandLine(command)}\`. Cloudflare may be slow. It is safe to stop and to repeat this command.`;
  const timer = setTimeout(printNotice, SLOW_COMMAND_MS, notice);
  const { status, stdout, stderr } = await wrangler(command).finally(() => clearTimeout(timer));
  // Wrangler colors some errors even if NO_COLOR is set, and one error recommends an option that our commands do not have.
  const output = stripVTControlCharacters(`${stdout}\n${stderr}`)
    .replace(/^.*`--temporary`.*$/m, "")
    .trim();
  if (status !== 0) throw new WranglerError(command, "failed", output);
  return stdout;
}

/**
 * Runs one wrangler command that prints JSON.
 * @throws WranglerError Also if the output is not what the schema describes
 */
export async function runWranglerJson<T>(
  schema: z.ZodType<T>,
  args: string[],
  options: RunOptions = {},
): Promise<T> {
  const output = await runWrangler(args, options);
  try {
    return schema.parse(JSON.parse(output));
  } catch {
    const command = nameConfiguration(args, options.config);
    throw new WranglerError(command, "did not print the expected JSON", output.trim() || "(no output)");
  }
}

async function runProcess(args: string[]): Promise<ProcessResult> {
  // With any other log level, wrangler prints more than the result, or nothing. It prefers these variables to lines in `.env`.
  const env = { CI: "1", NO_COLOR: "1", WRANGLER_LOG: "log" };
  const child = spawnWrangler(args, { env, stdio: ["ignore", "pipe", "pipe"] });
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
