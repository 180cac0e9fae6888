import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT, runWrangler } from "../wrangler.ts";

/** The programs that a deployment runs; those of this project by default. */
export interface Programs {
  /** A script for Node. */
  wrangler?: string | undefined;
  /** An executable. */
  npm?: string | undefined;
}

/**
 * Runs a script of package.json to its end; its output goes where that of this process goes.
 * @throws if it fails
 */
export async function runScript(
  { npm = "npm" }: Programs,
  script: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<void> {
  const command = ["run", script, ...(args.length > 0 ? ["--", ...args] : [])];
  const child = spawn(npm, command, {
    cwd: PROJECT,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  const stop = () => child.kill();
  process.once("exit", stop);
  const status = await new Promise<number | null>((done, fail) =>
    child.on("error", fail).on("close", done),
  ).finally(() => process.off("exit", stop));
  if (status !== 0) throw new Error(`npm ${command.join(" ")} failed.`);
}

/**
 * Runs one command of wrangler to its end.
 * @returns what it says for machines: JSON, an entry for each thing that it did
 * @throws with what it printed, if it fails
 */
export async function runRecorded({ wrangler }: Programs, args: string[]): Promise<unknown[]> {
  const folder = await mkdtemp(join(tmpdir(), "deploy-"));
  const file = join(folder, "output.ndjson");
  try {
    await runWrangler(args, { program: wrangler, env: { WRANGLER_OUTPUT_FILE_PATH: file } });
    const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
