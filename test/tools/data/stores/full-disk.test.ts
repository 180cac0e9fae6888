import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { stageRecords } from "../../../../tools/data/staging/staging.ts";
import { createWritableD1Store } from "../../../../tools/data/stores/d1-writer.ts";
import { createLocalKvStore } from "../../../../tools/data/stores/kv-writer.ts";
import {
  applyMigrations,
  createLocalDatabase,
  createLocalNamespace,
} from "../../../../tools/data/stores/local-stores.ts";
import { readAll } from "../../../support/reader.ts";
import { makeRecords } from "../../../support/sample-records.ts";
import { loadRecords } from "../../../support/stores.ts";
import { createFolder } from "../../../support/temporary-folder.ts";

const FULL = "cannot be written: the disk is full";

/** Opens a local store. `fill` limits the size of its database, as a full disk does. */
async function openStore(name: "d1" | "kv") {
  const path = join(createFolder(), "store.sqlite");
  const database = new DatabaseSync(path);
  const read = (pragma: string) => Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
  const limit = (pages: number) => database.exec(`PRAGMA max_page_count = ${pages}`);
  if (name === "d1") await applyMigrations(database);
  const openKv = () => createLocalNamespace(database, join(createFolder(), "blobs"));
  const store =
    name === "d1" ? createWritableD1Store(createLocalDatabase(database)) : createLocalKvStore(openKv());
  return { path, store, fill: () => limit(read("page_count") + 1), free: () => limit(1_000_000) };
}

test.each(["d1", "kv"] as const)(
  "%s: a load that fills the disk names the file and keeps the previous records, and succeeds when space is free",
  async (name) => {
    const { path, store, fill, free } = await openStore(name);
    const [first, second] = [makeRecords(300), makeRecords(15_000)];
    await loadRecords(store, first);
    fill();
    await expect(loadRecords(store, second)).rejects.toThrow(`${path} ${FULL}`);
    expect((await readAll(store)).records).toEqual(first);
    free();
    await loadRecords(store, second);
    expect((await readAll(store)).records).toEqual(second);
  },
);

test("a KV value that cannot be written is reported with its folder", async () => {
  const namespace = createLocalNamespace(new DatabaseSync(":memory:"), "/dev/null/blobs");
  const writing = namespace.put([{ key: "key", value: "value" }]);
  await expect(writing).rejects.toThrow("/dev/null/blobs cannot be written");
});

test.each([
  [13, `A temporary file in /temporary ${FULL}`],
  // A read-only container: SQLite finds no folder for its temporary file.
  [6410, "A temporary file in /temporary cannot be written: no folder for temporary files"],
])(
  "SQLite's error %i during the check is reported with the folder of temporary files",
  async (errcode, message) => {
    vi.stubEnv("SQLITE_TMPDIR", "/temporary");
    const records = (function* () {
      yield* makeRecords(10);
      throw Object.assign(new Error("disk I/O error"), { errcode });
    })();
    await expect(stageRecords(records)).rejects.toThrow(message);
  },
);
