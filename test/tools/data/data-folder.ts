import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { glob, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import type { TrafficRecord } from "../../../src/records/schema.ts";
import type { StoreName } from "../../../tools/data/stores/configuration.ts";
import { runData } from "../../support/run-command.ts";
import { formatCsv, makeRecords } from "../../support/sample-records.ts";
import { createFolder } from "../../support/temporary-folder.ts";

/** Creates a folder with the local D1 and KV stores, files to load, and commands that use it. */
export function createDataFolder() {
  const folder = createFolder();
  const temporary = join(folder, "temporary");
  mkdirSync(temporary);
  const place = ["--persist-to", folder];
  return {
    folder,
    /** The folder for the temporary files of commands in separate processes. */
    temporary,
    /** Writes records as CSV, or a string unchanged, and returns the path. */
    async write(name: string, content: TrafficRecord[] | string): Promise<string> {
      const file = join(folder, name);
      await writeFile(file, typeof content === "string" ? content : formatCsv(content));
      return file;
    },
    /** Runs `npm run data -- COMMAND ... --persist-to FOLDER` to its end, in this process. */
    run: (command: string, ...args: string[]) => runData([command, ...place, ...args]),
    /** Starts a load in its own process, which waits for more of its input until a signal stops it. */
    async startWaiting(...args: string[]): Promise<ChildProcess> {
      const stderr = openSync(join(folder, "stderr"), "w");
      const command = ["tools/data/data-command.ts", "load", ...place, ...args, "-"];
      const env = { ...process.env, TMPDIR: temporary };
      const child = spawn(process.execPath, command, { stdio: ["pipe", "ignore", stderr], env });
      closeSync(stderr);
      onTestFinished(() => void child.kill("SIGKILL"));
      child.stdin!.write(formatCsv(makeRecords(10_000)));
      await once(child.stdin!, "drain");
      return child;
    },
    /** Reads the standard error of the last command of `startWaiting`. */
    readStderr: () => readFile(join(folder, "stderr"), "utf8"),
  };
}

/** Opens the database of a store. For KV, the database contains only the keys. */
export async function openLocalDatabase(
  store: StoreName,
  { folder }: { folder: string },
): Promise<DatabaseSync> {
  const files = await Array.fromAsync(glob(`${folder}/v3/${store}/*/*.sqlite`));
  const file = files.find((name) => basename(name) !== "metadata.sqlite");
  if (file === undefined) throw new Error("Nothing was ever loaded");
  return new DatabaseSync(file);
}

/** Sends a signal to a process, and waits until the process has ended. */
export async function interrupt(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown[]> {
  const ended = once(child, "close");
  child.kill(signal);
  return ended;
}
