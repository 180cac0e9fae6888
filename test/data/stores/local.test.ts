import { glob, readdir, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { readRecords } from "../../../data/stored-records.ts";
import { STORE_NAMES, type StoreName } from "../../../data/stores/configuration.ts";
import { createLocalNamespace } from "../../../data/stores/local-namespace.ts";
import { useStore } from "../../../data/stores/open.ts";
import { bindDatabase, createD1Store } from "../../../src/store/d1.ts";
import { bindNamespace, createKvStore } from "../../../src/store/kv.ts";
import type { Store } from "../../../src/store/store.ts";
import { load } from "../../../src/store/writer.ts";
import { makeRecords } from "../../records/sample.ts";
import { createFolder } from "../../temporary-folder.ts";
import { startWorker } from "../../worker.ts";

const folder = createFolder();

async function read(store: Store) {
  return (await Array.fromAsync(readRecords(store, await store.readState({ newest: true })))).reverse();
}

const inThisProcess = <T>(name: StoreName, action: (store: Store) => Promise<T>) =>
  useStore({ store: name, persistTo: folder }, ({ store }) => action(store));

async function inWorkerd<T>(name: StoreName, action: (store: Store) => Promise<T>): Promise<T> {
  const { env, close } = await startWorker({ folder });
  const store = name === "d1" ? createD1Store(bindDatabase(env.DB)) : createKvStore(bindNamespace(env.KV));
  return action(store).finally(close);
}

test.each(STORE_NAMES)(
  "%s: workerd and the commands read and replace what the other one wrote",
  async (name) => {
    const [first, second] = [makeRecords(310), makeRecords(700)];
    await inThisProcess(name, (store) => load(store, first));
    await inWorkerd(name, async (store) => {
      expect(await read(store)).toEqual(first);
      await load(store, second);
    });
    expect(await inThisProcess(name, read)).toEqual(second);
  },
);

test("the values of keys that were replaced or deleted are removed", async () => {
  await inThisProcess("kv", (store) => load(store, makeRecords(450)));
  await inThisProcess("kv", (store) => load(store, makeRecords(150)));
  const values = await Array.fromAsync(glob(`${folder}/v3/kv/*/blobs/*`));
  // The state, and the statistics and the blocks of it and of the one before.
  expect(values).toHaveLength(1 + 2 + 1 + 3);
});

test("the file of a replaced value stays for a moment, for a reader that knows its name", async () => {
  const files = createFolder();
  const { get, replace } = createLocalNamespace(new DatabaseSync(":memory:"), files);
  await replace({ key: "collection", value: "old" });
  const [old] = await readdir(files);
  const replaced = replace({ key: "collection", value: "new" });
  while ((await get(["collection"], 30))[0] !== "new") await setImmediate();
  expect(await readdir(files)).toContain(old);
  await replaced;
  expect(await readdir(files)).not.toContain(old);
});

test("a file that is not a database is reported with its path", async () => {
  const [file = ""] = await Array.fromAsync(glob(`${folder}/v3/kv/*/[0-9a-f]*.sqlite`));
  await writeFile(file, "something else, which is long enough not to be a new database".repeat(10));
  await expect(inThisProcess("kv", read)).rejects.toThrow(`${file} cannot be opened: file is not a database`);
});
