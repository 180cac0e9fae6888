import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of wrangler.toml. */
export const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** Wrangler's own entry: found however this process was started, and without the process that its launcher adds. */
const WRANGLER = fileURLToPath(import.meta.resolve("wrangler"));

/** Garbage of short life is collected at 2 MiB: a load runs wrangler beside itself and stays within 600 MB. */
const NODE_OPTIONS = ["--no-warnings", "--max-semi-space-size=2"];

/** Wrangler as this project runs it: no request to the outside that a command does not itself consist of. */
export const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
};

/** Which of the worker's resources a command means. */
export interface Deployment {
  /** The deployed ones; by default those on this machine. */
  remote?: boolean | undefined;
  /** Where the local ones are kept, as in `wrangler dev --persist-to`; by default .wrangler/state. */
  persistTo?: string | undefined;
}

/** The options by which wrangler's commands choose a deployment. */
export function deploymentOptions({ remote, persistTo }: Deployment): string[] {
  if (remote) return ["--remote"];
  return ["--local", ...(persistTo ? ["--persist-to", resolve(persistTo)] : [])];
}

/** Starts wrangler in the project's folder. */
export function spawnWrangler(args: string[], stdio: "inherit" | "pipe", env: Record<string, string> = {}) {
  return spawn(process.execPath, [...NODE_OPTIONS, WRANGLER, ...args], {
    cwd: PROJECT,
    stdio: stdio === "inherit" ? "inherit" : ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...QUIET, ...env },
  });
}

/**
 * Runs one command of wrangler to its end, without prompts.
 * @returns what it printed on standard output
 * @throws with what it printed, if it fails
 */
export async function runWrangler(args: string[]): Promise<string> {
  const child = spawnWrangler(args, "pipe", { CI: "1", NO_COLOR: "1" });
  let output = "";
  let errors = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  const status = await new Promise<number | null>((done, fail) => child.on("error", fail).on("close", done));
  if (status !== 0) throw new Error(`wrangler ${args.join(" ")} failed:\n${`${output}\n${errors}`.trim()}`);
  return output;
}
