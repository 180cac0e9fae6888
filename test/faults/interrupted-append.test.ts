import { glob, readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { makeWideRecords } from "../records/sample.ts";
import { untilFresh, untilServed } from "../serve.ts";
import { createLocalStore, interrupt, untilWriting } from "../tools/data/local-store.ts";
import { walk } from "../walk/walk.ts";
import { startWorker } from "../worker.ts";

/** Records in the end. Both stores write about 1 MB at a time: for D1 these are 7 MB, for KV 3 MB. */
const counts = { d1: 21_000, kv: 9_000 };

/** The last block is not full, so that an append rewrites it. */
const LOADED = 1_000;

const local = createLocalStore();

/** Processes that were started with the temporary folder of the store. */
async function countWriters(): Promise<number> {
  const environments = await Promise.all(
    (await Array.fromAsync(glob("/proc/[0-9]*/environ"))).map((file) =>
      readFile(file, "utf8").catch(() => ""),
    ),
  );
  return environments.filter((text) => text.split("\0").includes(`TMPDIR=${local.temporary}`)).length;
}

// Both stores treat all signals alike, so each is tested with one.
test.each([
  ["d1", "SIGINT", 130],
  ["kv", "SIGTERM", 143],
] as const)("%s: %s while an append writes leaves what is served, whole", async (store, signal, status) => {
  const records = makeWideRecords(counts[store]);
  const loaded = records.slice(0, LOADED);
  const place = ["--store", store];
  expect(await local.run("load", ...place, await local.write("loaded.csv", loaded))).toMatchObject({
    status: 0,
  });
  const all = await local.write("all.csv", records);
  const append = ["load", "--append", "--skip-known", ...place, all] as const;
  const server = await startWorker({ folder: local.folder, vars: { STORE: store } });
  try {
    const child = local.start(...append);
    await untilWriting(store, local, child);
    expect(await interrupt(child, signal)).toEqual([status, null]);
    await untilFresh();
    expect(await readdir(local.temporary), "nothing is left behind").toEqual([]);
    expect(await countWriters(), "nothing goes on writing").toBe(0);
    expect(await walk(server.origin)).toEqual(loaded.toReversed());
    const { stdout } = await local.run(...append);
    expect(stdout).toContain(`Added ${records.length - LOADED} records; ${records.length} are loaded.`);
    await untilServed(server.origin);
    expect(await walk(server.origin)).toEqual(records.toReversed());
  } finally {
    await server.close();
  }
});
