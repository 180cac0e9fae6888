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
import { runData } from "../../support/run-command.ts";
import { formatCsv } from "../../support/sample-records.ts";
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

interface LoadFiles {
  /** The records that the store has before. */
  previous: string;
  /** Enough records to take some time. */
  large: string;
}

/** Starts a load, and stops it when it has written some of its records, but not all of them. */
export async function startWriting(
  store: StoreName,
  local: DataFolder,
  { previous, large }: LoadFiles,
): Promise<ChildProcess> {
  const place = ["--store", store];
  for (;;) {
    const { status, stderr } = await local.run("load", ...place, previous);
    if (status !== 0) throw new Error(stderr);
    const load = local.start("load", ...place, large);
    if (await isStoppedWhileWriting(store, local, load)) return load;
    // On a busy machine, the load can end before it is stopped.
    if (load.exitCode !== 0) throw new Error(await local.readStderr());
  }
}

/** Lets a load run for short periods until it writes. Returns false if the load has ended. */
async function isStoppedWhileWriting(
  store: StoreName,
  local: DataFolder,
  load: ChildProcess,
): Promise<boolean> {
  const database = await openLocalDatabase(store, local);
  try {
    const newest = database.prepare(NEWEST[store]);
    const before = newest.get()?.name;
    while (load.exitCode === null) {
      load.kill("SIGSTOP");
      await setTimeout(5);
      if (load.exitCode === null && newest.get()?.name !== before && isUnlocked(database)) return true;
      load.kill("SIGCONT");
      await setTimeout(5);
    }
    return false;
  } finally {
    database.close();
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
