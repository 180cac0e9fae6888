import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { glob, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { loadSeed } from "../../data/seed-writer.ts";
import { STORE_NAMES, type StoreName } from "../../data/writer/configuration.ts";
import { applyMigrations, createLocalNamespace } from "../../data/writer/local-stores.ts";
import { lockFile, withMigratedStore } from "../../data/writer/open-store.ts";
import { runWrangler } from "../../data/writer/wrangler.ts";
import type { WritableStore } from "../../data/writer/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { readAll } from "../store/reader.ts";
import { loadRecords, openWorkerStore } from "../store/stores.ts";
import { createFolder } from "../temporary-folder.ts";
import { runProcess } from "../tools/command-line/run-command.ts";
import { startWorker } from "../worker.ts";

const NO_DATABASE = "something else, which is long enough not to be a new database".repeat(10);

const folder = createFolder();

const read = async (store: WritableStore) => (await readAll(store)).records;

const inThisProcess = <T>(name: StoreName, action: (store: WritableStore) => Promise<T>) =>
  withMigratedStore({ store: name, persistTo: folder }, ({ store }) => action(store));

async function inWorkerd<T>(name: StoreName, action: (store: WritableStore) => Promise<T>): Promise<T> {
  const { env, close } = await startWorker({ folder });
  return action(openWorkerStore(env, name)).finally(close);
}

describe("a store on this machine", () => {
  test.each(STORE_NAMES)(
    "%s: workerd and the commands read and replace what the other one wrote",
    async (name) => {
      const [first, second] = [makeRecords(310), makeRecords(700)];
      await inThisProcess(name, (store) => loadRecords(store, first));
      await inWorkerd(name, async (store) => {
        expect(await read(store)).toEqual(first);
        await loadRecords(store, second);
      });
      expect(await inThisProcess(name, read)).toEqual(second);
    },
  );

  test.each(STORE_NAMES)("%s: has the preview id or else the id of the configuration", async (store) => {
    const persistTo = createFolder();
    const config = join(persistTo, "wrangler.json");
    const useId = async <T>(
      id: string,
      preview_id: string | undefined,
      action: (store: WritableStore) => T,
    ) => {
      const database = { binding: "DB", database_id: id, preview_database_id: preview_id };
      const namespace = { binding: "KV", id, preview_id };
      await writeFile(config, JSON.stringify({ d1_databases: [database], kv_namespaces: [namespace] }));
      return withMigratedStore({ store, persistTo, config }, async (opened) => action(opened.store));
    };
    await useId("one", "two", (opened) => loadRecords(opened, makeRecords(20)));
    expect(await useId("one", undefined, read)).toEqual([]);
    expect(await useId("two", undefined, read)).toHaveLength(20);
  });

  test("keeps no values of keys that were replaced or deleted, or that a killed load did not write", async () => {
    const findValues = () => Array.fromAsync(glob(`${folder}/v3/kv/*/blobs/*`));
    for (const count of [450, 150]) {
      const [value] = await findValues();
      if (value) await writeFile(join(dirname(value), "0a1b"), "a value without a key");
      await inThisProcess("kv", (store) => loadRecords(store, makeRecords(count)));
    }
    const values = await findValues();
    // The state, the statistics and a block.
    expect(values).toHaveLength(1 + 1 + 1);
  });

  test("keeps the file of a replaced value for a moment, for a reader that knows its name", async () => {
    const files = createFolder();
    const namespace = createLocalNamespace(new DatabaseSync(":memory:"), files, 200);
    await namespace.put([{ key: "collection", value: "old" }]);
    const [old] = await readdir(files);
    await namespace.put([{ key: "collection", value: "new" }]);
    const deleted = namespace.delete([]);
    await setTimeout(20);
    // At once, so that even on a busy machine this comes before the end of the moment.
    expect(readdirSync(files)).toContain(old);
    await deleted;
    expect(await readdir(files)).not.toContain(old);
    expect(await namespace.get(["collection"], 30)).toEqual(["new"]);
  });

  test("keeps nothing of a write that failed", async () => {
    const files = createFolder();
    const namespace = createLocalNamespace(new DatabaseSync(":memory:"), files);
    const unwritable = { key: "b", value: undefined as unknown as string };
    const writing = namespace.put([{ key: "a", value: "1" }, unwritable]);
    await expect(writing).rejects.toThrow("must be of type string");
    expect(await namespace.get(["a", "b"], 30)).toEqual([null, null]);
    await namespace.delete(["a", "b"]);
    expect(await readdir(files)).toEqual([]);
  });

  test("names a migration that fails, and what to do", async () => {
    const file = join(createFolder(), "d1.sqlite");
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE state (load TEXT)");
    const message = `data/migrations/0001_collection.sql failed: table state already exists. To start with an empty store, delete ${file}.`;
    await expect(applyMigrations(database)).rejects.toThrow(new Error(message));
    expect(database.prepare("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "state" }]);
  });

  test("names a file that is not a database", async () => {
    const [file = ""] = await Array.fromAsync(glob(`${folder}/v3/kv/*/[0-9a-f]*.sqlite`));
    await writeFile(file, NO_DATABASE);
    const message = `${file} cannot be opened: file is not a database`;
    await expect(inThisProcess("kv", read)).rejects.toThrow(message);
  });
});

test("a lock is held by one caller, and needs a file that can be one", async () => {
  const path = join(createFolder(), "lock");
  const lock = () => lockFile(path, "the store");
  const release = lock();
  expect(lock).toThrow("Another process is writing to the store. Run the command again when it has ended.");
  release();
  lock()();
  const invalid = "/dev/null/lock cannot be written: a part of the path is not a directory";
  expect(() => lockFile("/dev/null/lock", "the store")).toThrow(invalid);
  await writeFile(path, NO_DATABASE);
  expect(lock).toThrow(`${path} cannot be written: file is not a database`);
});

describe("the seed", () => {
  test("waits for another process that writes to the store", async () => {
    const persistTo = createFolder();
    const hold = `
      const database = new (require("node:sqlite").DatabaseSync)(${JSON.stringify(join(persistTo, "d1.lock"))});
      database.exec("BEGIN IMMEDIATE");
      console.log("held");
      setTimeout(() => database.close(), 5_000);`;
    const holder = spawn(process.execPath, ["--eval", hold], { stdio: ["ignore", "pipe", "inherit"] });
    await once(holder.stdout, "data");
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    await loadSeed({ persistTo, store: "d1" });
    expect(console.log).toHaveBeenLastCalledWith("Loaded 40614 records.");
    vi.restoreAllMocks();
  });

  const FILE = "data/seed/2025-11-02.csv";
  const LOAD = `
    const { loadSeed } = await import("./data/seed-writer.ts");
    await loadSeed({ persistTo: "state", store: "d1" }).catch(({ message }) => console.log(message));`;

  test.each([
    ["4711", "Loaded 40614 records."],
    ["many", `FILE:4053: cars "many" is not a whole number, 0 or greater\nNothing was loaded.`],
  ])("whose newest record was edited to have %s cars: %s", async (cars, message) => {
    const clone = createFolder();
    for (const name of ["data", "src", "package.json", "wrangler.toml"])
      cpSync(name, join(clone, name), { recursive: true });
    symlinkSync(resolve("node_modules"), join(clone, "node_modules"));
    const lines = readFileSync(FILE, "utf8").trimEnd().split("\n");
    const edited = lines.with(-1, `1,86,c175,2025-11-02T23:59:59Z,True,${cars},0,0,0,0,0,tf1`);
    writeFileSync(join(clone, FILE), `${edited.join("\n")}\n`);
    const args = ["--input-type=module", "--eval", LOAD];
    const { status, stdout, stderr } = await runProcess(process.execPath, args, { cwd: clone });
    const [first = "", ...others] = stdout.trim().split("\n");
    const [, location = ""] =
      /^Nothing is loaded in the d1 store \((.+)\)\. Loading the seed\.$/.exec(first) ?? [];
    expect(existsSync(location)).toBe(true);
    expect([status, others.join("\n"), stderr]).toEqual([0, message.replace("FILE", join(clone, FILE)), ""]);
  });
});

test("an error message of wrangler is reported without colours, even if wrangler prints colours", async () => {
  const printed = { stdout: "\x1b[2mout\x1b[22m", stderr: "\x1b[31m✘ \x1b[41;97m[ERROR]\x1b[0m it broke" };
  await expect(
    runWrangler(["d1", "list"], { wrangler: async () => ({ status: 1, ...printed }) }),
  ).rejects.toThrow(/^wrangler d1 list failed:\nout\n✘ \[ERROR\] it broke$/);
});
