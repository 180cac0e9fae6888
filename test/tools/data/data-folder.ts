import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { glob, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { TrafficRecord } from "../../../src/records/schema.ts";
import type { StoreName } from "../../../tools/data/stores/configuration.ts";
import { formatCsv } from "../../records/sample.ts";
import { createFolder } from "../../support/temporary-folder.ts";
import { runData } from "../command-line/run-command.ts";

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
    /** Starts the same command in its own process, so that a signal can stop it. */
    start(command: string, ...args: string[]): ChildProcess {
      const stderr = openSync(join(folder, "stderr"), "w");
      const child = spawn(process.execPath, ["tools/data/data-command.ts", command, ...place, ...args], {
        stdio: ["ignore", "ignore", stderr],
        env: { ...process.env, TMPDIR: temporary },
      });
      closeSync(stderr);
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    },
    /** Reads the standard error of the last command of `start`. */
    readStderr: () => readFile(join(folder, "stderr"), "utf8"),
  };
}

type DataFolder = ReturnType<typeof createDataFolder>;

/** The id of the newest snapshot. Ids begin with the time of their load. */
const NEWEST = {
  d1: "SELECT max(snapshot) AS name FROM block",
  kv: "SELECT max(key) AS name FROM _mf_entries WHERE key LIKE 'block/%'",
};

/** Stops a running load when it has written some of its records, but not all of them. Until then, the load runs for short periods. */
export async function untilWriting(store: StoreName, local: DataFolder, load: ChildProcess): Promise<void> {
  const database = await openLocalDatabase(store, local);
  const newest = database.prepare(NEWEST[store]);
  const before = newest.get()?.name;
  for (;;) {
    load.kill("SIGSTOP");
    await setTimeout(5);
    if (load.exitCode !== null)
      throw new Error(`The load ended with ${load.exitCode}: ${await local.readStderr()}`);
    if (newest.get()?.name !== before && isUnlocked(database)) return database.close();
    load.kill("SIGCONT");
    await setTimeout(5);
  }
}

/** Whether no transaction is open. A load that is stopped in a transaction would block other connections. */
function isUnlocked(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    return true;
  } catch {
    return false;
  }
}

/** Counts the blocks in a store, including the blocks of loads that were never switched to. */
export async function countBlocks(store: StoreName, local: DataFolder): Promise<number> {
  const database = await openLocalDatabase(store, local);
  const table = store === "d1" ? "block" : "_mf_entries WHERE key LIKE 'block/%'";
  const row = database.prepare(`SELECT count(*) AS blocks FROM ${table}`).get();
  database.close();
  return Number(row?.blocks);
}

/** Opens the database of a store. For KV, the database contains only the keys. */
export async function openLocalDatabase(
  store: StoreName,
  { folder }: Pick<DataFolder, "folder">,
): Promise<DatabaseSync> {
  const files = await Array.fromAsync(glob(`${folder}/v3/${store}/*/*.sqlite`));
  const file = files.find((name) => basename(name) !== "metadata.sqlite");
  if (file === undefined) throw new Error("Nothing was ever loaded");
  return new DatabaseSync(file);
}

/** Sends a signal to a running or stopped process, and waits until the process has ended. */
export async function interrupt(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown[]> {
  const ended = once(child, "close");
  child.kill(signal);
  child.kill("SIGCONT");
  return ended;
}
