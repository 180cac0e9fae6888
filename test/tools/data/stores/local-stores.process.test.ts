import { chmodSync, readdirSync } from "node:fs";
import { copyFile, glob, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { stringify } from "smol-toml";
import { describe, expect, test } from "vitest";
import { STORE_NAMES, type StoreName } from "../../../../tools/data/stores/configuration.ts";
import {
  applyMigrations,
  createLocalDatabase,
  createLocalNamespace,
} from "../../../../tools/data/stores/local-stores.ts";
import { withStore } from "../../../../tools/data/stores/open-store.ts";
import { undoLoad, type WritableStore } from "../../../../tools/data/stores/writer.ts";
import { readAll } from "../../../support/reader.ts";
import { makeRecords } from "../../../support/sample-records.ts";
import { untilServed } from "../../../support/serve.ts";
import { loadRecords, openWorkerStore } from "../../../support/stores.ts";
import { createFolder } from "../../../support/temporary-folder.ts";
import { readAllRecords, startWorker } from "../../../support/worker.ts";
import { mountDisk } from "./small-disk.ts";

const read = async (store: WritableStore) => (await readAll(store)).records;

/** Creates a folder for the local stores, and functions that use a store in it. */
function createStores() {
  const folder = createFolder();
  return {
    folder,
    inThisProcess: <T>(name: StoreName, action: (store: WritableStore) => Promise<T>) =>
      withStore({ store: name, persistTo: folder }, "write", ({ store }) => action(store)),
    async inWorkerd<T>(name: StoreName, action: (store: WritableStore) => Promise<T>): Promise<T> {
      const { env, close } = await startWorker({ folder });
      return action(openWorkerStore(env, name)).finally(close);
    },
  };
}

describe("a local store", () => {
  test.each(STORE_NAMES)("of %s is read and replaced by workerd and by the commands", async (name) => {
    const { inThisProcess, inWorkerd } = createStores();
    const [first, second] = [makeRecords(310), makeRecords(700)];
    await inThisProcess(name, (store) => loadRecords(store, first));
    await inWorkerd(name, async (store) => {
      expect(await read(store)).toEqual(first);
      await loadRecords(store, second);
    });
    expect(await inThisProcess(name, read)).toEqual(second);
    await inWorkerd(name, undoLoad);
    expect(await inThisProcess(name, read)).toEqual(first);
  });

  test.each(STORE_NAMES)("of %s is identified by the preview id, or else by the id", async (store) => {
    const persistTo = createFolder();
    const config = join(persistTo, "own.toml");
    const useStore = async <T>(preview: string | undefined, action: (store: WritableStore) => T) => {
      const database = { binding: "DB", database_id: "one", preview_database_id: preview };
      const namespace = { binding: "KV", id: "one", preview_id: preview };
      await writeFile(config, stringify({ d1_databases: [database], kv_namespaces: [namespace] }));
      return withStore({ store, persistTo, config }, "write", async (opened) => action(opened.store));
    };
    await useStore("two", (opened) => loadRecords(opened, makeRecords(20)));
    expect(await useStore(undefined, read)).toEqual([]);
    expect(await useStore("two", read)).toHaveLength(20);
  });

  test("deletes values without a key: replaced and deleted values, and values of killed loads", async () => {
    const { folder, inThisProcess } = createStores();
    const findValues = () => Array.fromAsync(glob(`${folder}/v3/kv/*/blobs/*`));
    for (const count of [450, 150, 20]) {
      const [value] = await findValues();
      if (value) await writeFile(join(dirname(value), "0a1b"), "a value without a key");
      await inThisProcess("kv", (store) => loadRecords(store, makeRecords(count)));
    }
    const values = await findValues();
    // The statistics and a block of two snapshots, which of them is current, and the value that this has just replaced.
    expect(values).toHaveLength(2 + 2 + 1 + 1);
  });

  test("keeps the file of a replaced value for a moment, for readers that have its name", async () => {
    const files = createFolder();
    const namespace = createLocalNamespace(new DatabaseSync(":memory:"), files, 200);
    await namespace.put([{ key: "collection", value: "old" }]);
    const [old] = await readdir(files);
    await namespace.put([{ key: "collection", value: "new" }]);
    const deleted = namespace.delete([]);
    await setTimeout(20);
    // Synchronous, so that it runs before the end of the moment even on a busy machine.
    expect(readdirSync(files)).toContain(old);
    await deleted;
    expect(await readdir(files)).not.toContain(old);
    expect(await namespace.get(["collection"], 30)).toEqual(["new"]);
  });

  test("discards a write that fails", async () => {
    const files = createFolder();
    const namespace = createLocalNamespace(new DatabaseSync(":memory:"), files);
    const unwritable = { key: "b", value: undefined as unknown as string };
    const writing = namespace.put([{ key: "a", value: "1" }, unwritable]);
    await expect(writing).rejects.toThrow(`${files} cannot be written`);
    expect(await namespace.get(["a", "b"], 30)).toEqual([null, null]);
    await namespace.delete(["a", "b"]);
    expect(await readdir(files)).toEqual([]);
  });

  test("lets a signal be handled before it writes", async () => {
    const order: string[] = [];
    setImmediate(() => order.push("signal"));
    const database = createLocalDatabase(new DatabaseSync(":memory:"));
    await database.write([]).then(() => order.push("written"));
    expect(order).toEqual(["signal", "written"]);
  });

  test("names the migration that fails, and the file to delete, and stays as it was", async () => {
    const file = join(createFolder(), "d1.sqlite");
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE snapshot (id TEXT)");
    const migrating = applyMigrations(database);
    await expect(migrating).rejects.toThrow(/0001_collection.sql failed: table \w+ already exists/);
    await expect(migrating).rejects.toThrow(`delete ${file}`);
    expect(database.prepare("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "snapshot" }]);
  });

  test.each(STORE_NAMES)("of %s is read by a user who may not write it", async (name) => {
    const { folder, inThisProcess } = createStores();
    await inThisProcess(name, (store) => loadRecords(store, makeRecords(310)));
    // The other user may have no access to the project.
    const config = join(folder, "wrangler.toml");
    await copyFile("wrangler.toml", config);
    const readOnly = async () => {
      const choice = { store: name, persistTo: folder, config };
      const { records } = await withStore(choice, "read", ({ store }) => readAll(store));
      expect(records).toEqual(makeRecords(310));
    };
    for (const path of [dirname(folder), folder, ...readdirSync(folder, { recursive: true })])
      chmodSync(resolve(folder, String(path)), 0o555);
    // Root may write everywhere.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    await readOnly().finally(() => isRoot && process.seteuid?.(0));
  });
});

test.each(STORE_NAMES)(
  "every page of %s is served after a load for which the disk is too small",
  async (name) => {
    const { folder, inThisProcess } = createStores();
    mountDisk(folder, 7_000_000);
    const load = (count: number) =>
      inThisProcess(name, (store) => loadRecords(store, makeRecords(count).reverse()));
    await load(940);
    const server = await startWorker({ folder, vars: { STORE: name } });
    try {
      await expect(load(50_000)).rejects.toThrow("the disk is full. The load needs ");
      expect(await readAllRecords(server.origin)).toEqual(makeRecords(940).reverse());
      await load(1_000);
      await untilServed(server.origin);
      expect(await readAllRecords(server.origin)).toEqual(makeRecords(1_000).reverse());
    } finally {
      await server.close();
    }
  },
);
