import { glob, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSampleData } from "../../../../tools/data/sample-data.ts";
import { hashContent } from "../../../../tools/data/snapshot-content.ts";
import type { StoreName } from "../../../../tools/data/stores/configuration.ts";
import { MIGRATIONS_FOLDER } from "../../../../tools/data/stores/d1-writer.ts";
import { withLock } from "../../../../tools/data/stores/open-store.ts";
import { makeRecords } from "../../../support/sample-records.ts";
import { createFolder } from "../../../support/temporary-folder.ts";
import { createDataFolder, openLocalDatabase } from "../data-folder.ts";

test("a file that cannot be locked is named with the reason", async () => {
  const folder = createFolder();
  const lock = (persistTo: string) => withLock({ store: "d1", persistTo }, async () => {});
  const path = join(folder, "d1.lock");
  // Long enough not to be a new database.
  await writeFile(path, "something else".repeat(50));
  await expect(lock(folder)).rejects.toThrow(`${path} cannot be written: it is damaged`);
  await expect(lock("/dev/null")).rejects.toThrow("/dev/null/d1.lock cannot be written");
});

/** The changes of a store that another version would make: statements, or the new format of the current snapshot in KV. */
const OTHER_FORMAT = "UPDATE snapshot SET format = 2";
const OTHER_TABLES = "ALTER TABLE snapshot RENAME TO current_snapshot";
const NEWER_MIGRATION = "INSERT INTO d1_migrations (name) VALUES ('9999_newer.sql')";

const RECORDS = /^The stored records were made by another version .* Load them again, or use that version\./;
const NIGHTLY = "load --min-records current";
const ADVICE =
  /another version .* Without `--min-records current`, a load replaces them\.\nNothing was loaded/;
const TABLES =
  /^The d1 store \(\/\S+\) cannot be used: its tables were made by another version .*or another database\n/;
const UPDATABLE = /or another database. If that version is older, `npm start` .* updates the tables\n/;

// biome-ignore format: a table of cases
test.each<[StoreName, change: string, messages: Record<string, RegExp>]>([
  ["d1", OTHER_FORMAT, { info: RECORDS, export: RECORDS, undo: RECORDS, start: RECORDS, [NIGHTLY]: ADVICE, load: /^Loaded 30 / }],
  ["kv", OTHER_FORMAT, { info: RECORDS, export: RECORDS, undo: RECORDS, start: RECORDS, [NIGHTLY]: ADVICE, load: /^Loaded 30 / }],
  ["d1", OTHER_TABLES, { info: UPDATABLE, export: UPDATABLE, undo: TABLES, start: TABLES, load: TABLES }],
  ["d1", NEWER_MIGRATION, { info: /^store /, export: /^id,/, undo: TABLES, start: TABLES, load: TABLES }],
])("each command says that the %s store was made by another version: %s", async (store, change, messages) => {
  const local = createDataFolder();
  const file = await local.write("records.csv", makeRecords(30));
  for (let count = 0; count < 2; count++) await local.run("load", "--store", store, file);
  if (store === "d1") (await openLocalDatabase("d1", local)).exec(change);
  for await (const path of glob(`${local.folder}/v3/kv/*/blobs/*`))
    await writeFile(path, (await readFile(path, "utf8")).replaceAll('"format":1', '"format":2'));
  const start = () =>
    loadSampleData({ store, persistTo: local.folder }).catch(({ message }) => `${message}\n`);
  for (const [command, expected] of Object.entries(messages)) {
    const [name = "", ...options] = command.split(" ");
    const files = name === "load" ? [file] : [];
    const run = async () => {
      const { stdout, stderr } = await local.run(name, "--store", store, ...options, ...files);
      return stdout + stderr;
    };
    expect(await (command === "start" ? start() : run()), command).toMatch(expected);
  }
});

test.each([
  ["d1", "d1_databases", "database_id"],
  ["kv", "kv_namespaces", "id"],
])(
  "a load into %s fills the store of the worker, also if other bindings stand before it",
  async (store, table, id) => {
    const local = createDataFolder();
    const configure = (name: string, bindings: object) => {
      const lines = Object.entries(bindings).map(
        ([binding, text]) => `[[${table}]]\nbinding = "${binding}"\n${id} = "${text}"`,
      );
      return local.write(name, [`vars.STORE = "${store}"`, ...lines].join("\n"));
    };
    const own = store === "d1" ? { DB: "own" } : { KV: "own" };
    const file = await local.write("records.csv", makeRecords(30));
    await local.run("load", "--config", await configure("all.toml", { OTHER: "other", ...own }), file);
    const { stdout } = await local.run("info", "--config", await configure("own.toml", own));
    expect(stdout).toMatch(/^records +30$/m);
  },
);

/** A released migration never changes, because databases have its tables already. A change of them is another migration. */
const MIGRATIONS = { "0001_collection.sql": "a030ddd867dc2ff054c1" };

test("no migration has changed", async () => {
  const hashes: Record<string, string> = {};
  for await (const name of glob("*.sql", { cwd: MIGRATIONS_FOLDER }))
    hashes[name] = hashContent(await readFile(join(MIGRATIONS_FOLDER, name), "utf8"), []);
  expect(hashes).toEqual(MIGRATIONS);
});
