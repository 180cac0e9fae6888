import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { z } from "zod";
import { PROJECT, runWrangler, type StandIn } from "../../data/stores/wrangler.ts";

/** The programs that a deployment runs; tests replace them. */
export interface Programs {
  /** A script for Node, or a function in place of one; by default the wrangler of this project. */
  wrangler?: string | StandIn | undefined;
  /** A function in place of npm. */
  npm?: StandIn | undefined;
}

/**
 * Runs a script of package.json and prints its output.
 * @throws if it fails
 */
export async function runScript(
  { npm = runNpm }: Programs,
  script: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<void> {
  const command = ["run", script, ...(args.length > 0 ? ["--", ...args] : [])];
  const { status } = await npm(command, env);
  if (status !== 0) throw new Error(`npm run ${script} failed. Its output is above.`);
}

const runNpm: StandIn = async (args, env) => {
  const child = spawn("npm", args, {
    cwd: PROJECT,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  const stop = () => child.kill();
  process.once("exit", stop);
  const status = await new Promise<number | null>((done, fail) =>
    child.on("error", fail).on("close", done),
  ).finally(() => process.off("exit", stop));
  return { status, output: "", errors: "" };
};

/**
 * Runs a command of wrangler and reads the file in which wrangler reports what it did, one JSON entry a line.
 * @returns the first entry that the schema accepts; undefined if there is none
 * @throws an error with wrangler's output if the command fails
 */
export async function runWranglerForEntry<T>(
  { wrangler }: Programs,
  args: string[],
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "deploy-"));
  const file = join(folder, "output.ndjson");
  try {
    await runWrangler(args, { program: wrangler, env: { WRANGLER_OUTPUT_FILE_PATH: file } });
    const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line) => schema.safeParse(JSON.parse(line)).data).find((entry) => entry);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
