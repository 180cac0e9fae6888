import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

/** The folder of wrangler.toml. */
export const PROJECT = fileURLToPath(new URL("..", import.meta.url));

/** Wrangler's own entry: found however this process was started, and without the process that its launcher adds. */
const WRANGLER = createRequire(import.meta.url).resolve("wrangler");

/** Garbage of short life is collected at 2 MiB. */
const NODE_OPTIONS = ["--no-warnings", "--max-semi-space-size=2"];

/**
 * A command holds a few megabytes of input and 60 MB of its own code, but would let garbage pile up to hundreds: a
 * load runs wrangler beside itself and stays within 600 MB.
 */
const COMMAND_OPTIONS = ["--max-old-space-size=192"];

/** Wrangler as this project runs it: no request to the outside that a command does not itself consist of. */
export const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
};

/** The program that stands for wrangler, and what it finds in its environment beside what this process has. */
export interface WranglerCall {
  /** A script for Node; by default wrangler itself. */
  program?: string | undefined;
  env?: Record<string, string> | undefined;
}

/** Which of the worker's resources a command means. */
export interface Deployment extends Pick<WranglerCall, "program"> {
  /** The deployed ones; by default those on this machine. */
  remote?: boolean | undefined;
  /** Where the local ones are kept, as in `wrangler dev --persist-to`; by default .wrangler/state. */
  persistTo?: string | undefined;
  /** The configuration that names them; by default wrangler.toml. */
  config?: string | undefined;
}

/** The options by which wrangler's commands choose a deployment. */
export function deploymentOptions({ remote, persistTo, config }: Deployment): string[] {
  const configuration = config ? ["--config", resolve(config)] : [];
  if (remote) return ["--remote", ...configuration];
  return ["--local", ...(persistTo ? ["--persist-to", resolve(persistTo)] : []), ...configuration];
}

/** Starts wrangler in the project's folder. */
export function spawnWrangler(args: string[]): ChildProcess {
  return spawn(process.execPath, [...NODE_OPTIONS, WRANGLER, ...args], {
    cwd: PROJECT,
    stdio: "inherit",
    env: { ...process.env, ...QUIET },
  });
}

/** The environment variable that lets commands of wrangler use a temporary account, also in processes that are started. */
export const TEMPORARY_ACCOUNT = "USE_TEMPORARY_ACCOUNT";

/**
 * Runs one command of wrangler to its end, without prompts.
 * @returns what it printed on standard output
 * @throws with what it printed, if it fails
 */
export async function runWrangler(args: string[], call: WranglerCall = {}): Promise<string> {
  return (await captureWrangler(args, call)).output;
}

/**
 * The same, for callers that also need what it printed on standard error.
 * @throws with what it printed, if it fails
 */
export async function captureWrangler(
  command: string[],
  call: WranglerCall = {},
): Promise<{ output: string; errors: string }> {
  const args = process.env[TEMPORARY_ACCOUNT] ? [...command, "--temporary"] : command;
  const program = call.program ?? WRANGLER;
  const child = spawn(process.execPath, [...NODE_OPTIONS, ...COMMAND_OPTIONS, program, ...args], {
    cwd: PROJECT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...QUIET, CI: "1", NO_COLOR: "1", ...call.env },
  });
  // A signal that reaches this process alone must not leave one behind that goes on writing.
  const stop = () => child.kill();
  process.once("exit", stop);
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const status = await new Promise<number | null>((done, fail) =>
    child.on("error", fail).on("close", done),
  ).finally(() => process.off("exit", stop));
  // Some of wrangler's errors are coloured whatever NO_COLOR says.
  const printed = stripVTControlCharacters(`${output}\n${errors}`).trim();
  if (status !== 0) throw new Error(`wrangler ${args.join(" ")} failed:\n${printed}`);
  return { output, errors };
}
