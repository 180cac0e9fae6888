import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { stageFiles, stageRecords } from "../../../../tools/data/staging/staging.ts";
import { createWritableD1Store } from "../../../../tools/data/stores/d1-writer.ts";
import { createWritableKvStore, LOCAL_KV } from "../../../../tools/data/stores/kv-writer.ts";
import {
  applyMigrations,
  createLocalDatabase,
  createLocalNamespace,
} from "../../../../tools/data/stores/local-stores.ts";
import { readAll } from "../../../support/reader.ts";
import { makeRecords } from "../../../support/sample-records.ts";
import { loadRecords } from "../../../support/stores.ts";
import { createFolder } from "../../../support/temporary-folder.ts";
import { measureFolder, simulateDisk } from "./small-disk.ts";

const FULL = "cannot be written: the disk is full";

/** Opens a local store on a disk with a number of bytes, of which the files of the store take some. */
async function openStore(name: "d1" | "kv", bytes: number) {
  const folder = createFolder();
  const path = join(folder, "store.sqlite");
  const database = new DatabaseSync(path);
  const limit = (pages: number) => database.exec(`PRAGMA max_page_count = ${pages}`);
  if (name === "d1") await applyMigrations(database);
  const openKv = () => createWritableKvStore(createLocalNamespace(database, join(folder, "blobs")), LOCAL_KV);
  const store = name === "d1" ? createWritableD1Store(createLocalDatabase(database)) : openKv();
  const disk = { bytes, isKnown: true };
  simulateDisk(folder, disk);
  return { path, store, disk, measure: () => measureFolder(folder), limit };
}

const [first, second] = [makeRecords(300), makeRecords(15_000)];

describe.each(["d1", "kv"] as const)("%s: a load", (name) => {
  test("that needs more space than the disk has writes nothing, and one that fits is loaded", async () => {
    const { path, store, measure } = await openStore(name, 5_000_000);
    await loadRecords(store, first);
    const before = measure();
    await expect(loadRecords(store, second)).rejects.toThrow(`${path} ${FULL}. The load needs 6 MB`);
    expect([measure(), (await readAll(store)).records]).toEqual([before, first]);
    await loadRecords(store, second.slice(0, 600));
    expect((await readAll(store)).records).toHaveLength(600);
  });

  test("during which others fill the disk deletes what it has written", async () => {
    const { path, store, disk } = await openStore(name, 9_000_000);
    await loadRecords(store, first);
    const onProgress = () => Object.assign(disk, { bytes: 2_500_000 });
    await expect(loadRecords(store, second, { onProgress })).rejects.toThrow(`${path} ${FULL}`);
    expect((await readAll(store)).records).toEqual(first);
    disk.bytes = 5_900_000;
    // D1 uses the space of the replaced records again.
    for (const records of [second, first, second]) await loadRecords(store, records);
    expect((await readAll(store)).records).toEqual(second);
  });

  test("that a quota stops keeps the previous records, and succeeds when space is free", async () => {
    const { path, store, disk, limit } = await openStore(name, 0);
    disk.isKnown = false;
    await loadRecords(store, first);
    limit(1);
    await expect(loadRecords(store, second)).rejects.toThrow(`${path} ${FULL}`);
    expect((await readAll(store)).records).toEqual(first);
    limit(1_000_000);
    await loadRecords(store, second);
    expect((await readAll(store)).records).toEqual(second);
  });
});

test.each(["SQLITE_TMPDIR", "TMPDIR"])(
  "a missing folder in %s is an error, and not ignored",
  async (name) => {
    vi.stubEnv(name, "/missing");
    await expect(stageFiles([])).rejects.toThrow(`${name} is /missing, which cannot be written: it does not`);
  },
);

test.each([
  [13, `A temporary file in /temporary ${FULL}`],
  // A read-only container: SQLite finds no folder for its temporary file.
  [6410, "A temporary file in /temporary cannot be written: no folder for temporary files"],
])("SQLite's error %i during the check names the folder of temporary files", async (errcode, message) => {
  vi.stubEnv("SQLITE_TMPDIR", "/temporary");
  const records = (function* () {
    yield* makeRecords(10);
    throw Object.assign(new Error("disk I/O error"), { errcode });
  })();
  await expect(stageRecords(records)).rejects.toThrow(message);
});
