import { spawnSync } from "node:child_process";
import { glob, readdir, rmdir, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { readRecords } from "../../data/collection.ts";
import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import { createLocalNamespace } from "../../data/stores/local-namespace.ts";
import { useStore } from "../../data/stores/open.ts";
import { runWrangler } from "../../data/stores/wrangler.ts";
import { load, type WritableStore } from "../../data/stores/writer.ts";
import type { Store } from "../../src/store/state.ts";
import { collectRecords, makeRecords } from "../records/sample.ts";
import { openWorkerStore } from "../store/stores.ts";
import { createFolder } from "../temporary-folder.ts";
import { startWorker } from "../worker.ts";

const folder = createFolder();

async function read(store: Store) {
  return Array.fromAsync(readRecords(store, (await store.readState()).state));
}

const inThisProcess = <T>(name: StoreName, action: (store: WritableStore) => Promise<T>) =>
  useStore({ store: name, persistTo: folder }, ({ store }) => action(store));

async function inWorkerd<T>(name: StoreName, action: (store: WritableStore) => Promise<T>): Promise<T> {
  const { env, close } = await startWorker({ folder });
  return action(openWorkerStore(env, name)).finally(close);
}

test.each(STORE_NAMES)(
  "%s: workerd and the commands read and replace what the other one wrote",
  async (name) => {
    const [first, second] = [makeRecords(310), makeRecords(700)];
    await inThisProcess(name, (store) => load(store, collectRecords(first)));
    await inWorkerd(name, async (store) => {
      expect(await read(store)).toEqual(first);
      await load(store, collectRecords(second));
    });
    expect(await inThisProcess(name, read)).toEqual(second);
  },
);

test("the values of keys that were replaced or deleted are removed", async () => {
  await inThisProcess("kv", (store) => load(store, collectRecords(makeRecords(450))));
  await inThisProcess("kv", (store) => load(store, collectRecords(makeRecords(150))));
  const values = await Array.fromAsync(glob(`${folder}/v3/kv/*/blobs/*`));
  // The state, the statistics and a block.
  expect(values).toHaveLength(1 + 1 + 1);
});

test("the file of a replaced value stays for a moment, for a reader that knows its name", async () => {
  const files = createFolder();
  const { get, put } = createLocalNamespace(new DatabaseSync(":memory:"), files);
  await put([{ key: "collection", value: "old" }]);
  const [old] = await readdir(files);
  const replaced = put([{ key: "collection", value: "new" }]);
  while ((await get(["collection"], 30))[0] !== "new") await setImmediate();
  expect(await readdir(files)).toContain(old);
  await replaced;
  expect(await readdir(files)).not.toContain(old);
});

test("a value that cannot be written is reported with the reason", async () => {
  const files = createFolder();
  const { put } = createLocalNamespace(new DatabaseSync(":memory:"), files);
  await rmdir(files);
  await expect(put([{ key: "collection", value: "new" }])).rejects.toThrow("no such file or directory, open");
});

test("a file that is not a database is reported with its path", async () => {
  const [file = ""] = await Array.fromAsync(glob(`${folder}/v3/kv/*/[0-9a-f]*.sqlite`));
  await writeFile(file, "something else, which is long enough not to be a new database".repeat(10));
  await expect(inThisProcess("kv", read)).rejects.toThrow(`${file} cannot be opened: file is not a database`);
});

test("an error message of wrangler is reported without colours, even if wrangler prints colours", async () => {
  const printed = { output: "\x1b[2mout\x1b[22m", errors: "\x1b[31m✘ \x1b[41;97m[ERROR]\x1b[0m it broke" };
  await expect(runWrangler(["d1", "list"], async () => ({ status: 1, ...printed }))).rejects.toThrow(
    /^wrangler d1 list failed:\nout\n✘ \[ERROR\] it broke$/,
  );
});

test("a missing folder for temporary files is reported in one sentence", () => {
  const program = `
    import { openTemporaryFile } from "./data/stores/wrangler.ts";
    openTemporaryFile("statements.sql");`;
  const env = { ...process.env, TMPDIR: "/missing" };
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { env });
  expect(String(stderr)).toContain(
    "Error: The folder for temporary files, /missing, cannot be used: it does not exist\n",
  );
});
