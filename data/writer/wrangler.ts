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
const WRANGLER = createRequire(import.meta.url).resolve("wrangler");

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

/** Runs a command of wrangler, or replaces wrangler in a test. */
export type WranglerProgram = (args: string[]) => Promise<ProgramResult>;

/** Starts wrangler in the project's folder; its input and output are those of this process. */
export function spawnWrangler(args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ["--no-warnings", WRANGLER, ...args], {
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
export async function runWrangler(args: string[], run: WranglerProgram = runProcess): Promise<string> {
  const { status, output, errors } = await run(args);
  // Some of wrangler's errors are coloured even if NO_COLOR is set, and one names an option that our commands do not take.
  const printed = stripVTControlCharacters(`${output}\n${errors}`)
    .replace(/^.*`--temporary`.*$/m, "")
    .trim();
  if (status !== 0) throw new WranglerError(args, printed);
  return output;
}

async function runProcess(args: string[]): Promise<ProgramResult> {
  const child = spawn(process.execPath, ["--no-warnings", WRANGLER, ...args], {
    cwd: PROJECT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...QUIET, CI: "1", NO_COLOR: "1" },
  });
  const ended = Promise.all([waitForEnd(child), text(child.stdout), text(child.stderr)]);
  const [status, output, errors] = await ended;
  return { status, output, errors };
}

/** Waits for the exit status of a program. If a signal ends this process, the program must not continue to write. */
export async function waitForEnd(child: ChildProcess): Promise<number | null> {
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
export function openTemporaryFile(name: string): string {
  folder ??= createFolder(join(tmpdir(), "traffic-count-records-"));
  return join(folder, name);
}

function createFolder(prefix: string): string {
  try {
    const created = mkdtempSync(prefix);
    process.once("exit", () => rmSync(created, { recursive: true, force: true }));
    return created;
  } catch (cause) {
    throw createWriteError(prefix, cause);
  }
}
