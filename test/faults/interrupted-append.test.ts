import { expect, test } from "vitest";
import { makeWideRecords } from "../records/sample.ts";
import { untilServed } from "../serve.ts";
import { createLocalStore, interrupt, untilWriting } from "../tools/data/local-store.ts";
import { walk } from "../walk/walk.ts";
import { startWorker } from "../worker.ts";

const local = createLocalStore();
const records = makeWideRecords(10_000);
const loaded = records.slice(0, 1_000);

test("blocks of an append that was killed are never served, also after the next append", async () => {
  expect(await local.run("load", await local.write("loaded.csv", loaded))).toMatchObject({ status: 0 });
  const child = local.start("load", "--append", "--skip-known", await local.write("killed.csv", records));
  await untilWriting("d1", local, child);
  expect(await interrupt(child, "SIGKILL", true)).toEqual([null, "SIGKILL"]);
  const server = await startWorker({ folder: local.folder });
  try {
    expect(await walk(server.origin)).toEqual(loaded.toReversed());
    const others = records.slice(1_000, 1_440).map((record) => ({ ...record, id: record.id + 1_000_000 }));
    // The first append fills no block; the second one replaces a block that the killed append stored.
    for (const [first, last] of [
      [0, 40],
      [40, 440],
    ] as const) {
      const next = await local.write("next.csv", others.slice(first, last));
      expect(await local.run("load", "--append", next)).toMatchObject({ status: 0 });
      await untilServed(server.origin);
      expect(await walk(server.origin)).toEqual([...loaded, ...others.slice(0, last)].reverse());
    }
  } finally {
    await server.close();
  }
});
