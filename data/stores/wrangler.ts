import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

/** The folder of wrangler.toml. */
export const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** The module of wrangler's command line, without the extra process of its launcher. */
const WRANGLER = createRequire(import.meta.url).resolve("wrangler");

/** A small young generation keeps the memory of short commands low. */
const NODE_OPTIONS = ["--no-warnings", "--max-semi-space-size=2"];

/** A command needs about 60 MB for its own code; without a limit it lets garbage grow to hundreds of megabytes. */
const COMMAND_OPTIONS = ["--max-old-space-size=192"];

/** The environment in which wrangler sends no requests except those that a command is for. */
const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
};

/** The end of a program, and what it printed. */
export interface ProgramResult {
  status: number | null;
  output: string;
  errors: string;
}

/** Runs in this process, in place of a program. */
export type StandIn = (args: string[], env: Record<string, string>) => Promise<ProgramResult>;

/** The program to run instead of wrangler, and additions to its environment. */
interface WranglerCall {
  /** A script for Node, or a function in place of one; by default wrangler. */
  program?: string | StandIn | undefined;
  env?: Record<string, string> | undefined;
}

/** The resources of the worker that a command uses. */
export interface Deployment extends Pick<WranglerCall, "program"> {
  /** True for the deployed ones; by default those on this machine. */
  remote?: boolean | undefined;
  /** The folder of the local ones, as in `wrangler dev --persist-to`; by default .wrangler/state. */
  persistTo?: string | undefined;
  /** The configuration that names them; by default wrangler.toml. */
  config?: string | undefined;
  /** How long a load into a deployed KV waits until its blocks are visible, in milliseconds; tests wait for a shorter time. */
  settleMs?: number | undefined;
}

/** The options by which wrangler's commands choose a deployment. */
export function deploymentOptions({ remote, persistTo, config }: Deployment): string[] {
  const configuration = config ? ["--config", resolve(config)] : [];
  if (remote) return ["--remote", ...configuration];
  return ["--local", ...(persistTo ? ["--persist-to", resolve(persistTo)] : []), ...configuration];
}

/** Starts wrangler in the project's folder; its input and output are those of this process. */
export function spawnWrangler(args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [...NODE_OPTIONS, WRANGLER, ...args], {
    cwd: PROJECT,
    stdio: "inherit",
    env: { ...process.env, ...QUIET, ...env },
  });
}

/** Characters of an argument that an error shows; a statement has up to 50,000. */
const SHOWN_CHARACTERS = 100;

/** A command of wrangler failed. */
export class WranglerError extends Error {
  /** What it printed, in which its reason can be recognised. */
  readonly printed: string;

  constructor(args: string[], printed: string) {
    const shown = args.map((arg) =>
      arg.length > SHOWN_CHARACTERS ? `${arg.slice(0, SHOWN_CHARACTERS)}...` : arg,
    );
    super(`wrangler ${shown.join(" ")} failed:\n${printed}`);
    this.printed = printed;
  }
}

/**
 * Runs one command of wrangler, without prompts.
 * @returns its standard output
 * @throws WranglerError
 */
export async function runWrangler(
  args: string[],
  { program = WRANGLER, env = {} }: WranglerCall = {},
): Promise<string> {
  const run: StandIn = typeof program === "string" ? (...call) => runProgram(program, ...call) : program;
  const { status, output, errors } = await run(args, env);
  // Some of wrangler's errors are coloured even if NO_COLOR is set.
  const printed = stripVTControlCharacters(`${output}\n${errors}`).trim();
  if (status !== 0) throw new WranglerError(args, printed);
  return output;
}

async function runProgram(
  program: string,
  args: string[],
  env: Record<string, string>,
): Promise<ProgramResult> {
  const child = spawn(process.execPath, [...NODE_OPTIONS, ...COMMAND_OPTIONS, program, ...args], {
    cwd: PROJECT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...QUIET, CI: "1", NO_COLOR: "1", ...env },
  });
  // If a signal ends this process, wrangler must not continue to write.
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
  return { status, output, errors };
}
