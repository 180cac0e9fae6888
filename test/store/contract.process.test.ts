import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { getLastPage, PAGE_SIZE } from "../../src/records/page.ts";
import type { TrafficRecord } from "../../src/records/schema.ts";
import { BLOCK_SIZE } from "../../src/store/block.ts";
import { createCachedStore } from "../../src/store/cached-store.ts";
import { createSeedStore } from "../../src/store/seed.ts";
import type { Store } from "../../src/store/store.ts";
import { NO_STATISTICS } from "../../src/store/stored-statistics.ts";
import { replaceAssets } from "../../tools/data/sample-data.ts";
import { replaceCollection, type WritableStore } from "../../tools/data/stores/writer.ts";
import { createMemoryService } from "../support/memory-service.ts";
import { formatResults, makeNewestFirst, readAll, readPage } from "../support/reader.ts";
import { toContent } from "../support/sample-records.ts";
import { openLocalStores, openWorkerStore } from "../support/stores.ts";
import { createFolder } from "../support/temporary-folder.ts";
import { useWorker } from "../support/worker.ts";

interface Loadable {
  store: Store;
  /** Replaces the collection with records, newest first. */
  load(records: TrafficRecord[], sources?: string[]): Promise<unknown>;
}

const toLoadable = (store: WritableStore): Loadable => ({
  store,
  load: (records, sources) => replaceCollection(store, toContent(records, sources)),
});

async function openMemory(): Promise<Loadable> {
  const { store, load } = await createMemoryService();
  return { store, load: async (records, sources) => load(records.toReversed(), sources) };
}

/** Opens a seed store whose assets are files in a folder. */
function openSeed(): Loadable {
  const folder = createFolder();
  const fetch = async (url: string) => {
    const path = join(folder, new URL(url).pathname);
    return existsSync(path) ? new Response(readFileSync(path)) : new Response("", { status: 404 });
  };
  return {
    store: createSeedStore({ fetch } as unknown as Parameters<typeof createSeedStore>[0]),
    load: async (records, sources) => replaceAssets(folder, toContent(records, sources)),
  };
}

const PAGES_PER_BLOCK = BLOCK_SIZE / PAGE_SIZE;

const deployed = useWorker();
const local = await openLocalStores();

const STORES: [name: string, open: () => Loadable | Promise<Loadable>][] = [
  ["d1", () => toLoadable(openWorkerStore(deployed.env, "d1"))],
  ["kv", () => toLoadable(openWorkerStore(deployed.env, "kv"))],
  ["local d1", () => toLoadable(local.open("d1"))],
  ["local kv", () => toLoadable(local.open("kv"))],
  ["memory", openMemory],
  ["seed", openSeed],
];

// The contract of all stores. The counts are near multiples of the sizes of a page and of a block.
describe.each(STORES)("the store %s", (name, open) => {
  let store: Store;
  let load: Loadable["load"];
  beforeAll(async () => {
    ({ store, load } = await open());
  });
  const createInstance = () => createCachedStore(store);

  test("is an empty collection before the first load; a seed store fails instead", async () => {
    if (name === "seed")
      return expect(store.readCurrent()).rejects.toThrow("The deployment contains no sample data");
    const snapshot = { id: null, count: 0, loaded_at: null, source: "" };
    expect(await store.readCurrent()).toEqual({ snapshot });
    expect(await createInstance().getStatistics()).toMatchObject({ days: [], statistics: NO_STATISTICS });
    for (const page of [1, "last"] as const)
      expect(await readPage(createInstance(), page)).toMatchObject({ count: 0, results: "[]" });
    expect(await readPage(createInstance(), 2)).toBeUndefined();
  });

  test.each([0, 1, 14, 15, 16, 31, 194, 195, 196, 210, 391, 585])(
    "serves the first and last pages of each block of %i records to a new instance",
    async (count) => {
      const records = makeNewestFirst(count);
      const long = "x".repeat(71);
      await load(records, ["a 'source'", "Zählung\n", long]);
      const { snapshot, records: stored } = await readAll(store);
      const loaded_at = name === "seed" ? null : expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/);
      expect(snapshot).toMatchObject({ count, loaded_at, source: `a 'source', Z%C3%A4hlung%0A, ${long}` });
      expect(snapshot.id).toMatch(/^[0-9a-z]{19,20}$/);
      expect(stored).toEqual(records);
      const last = getLastPage(count);
      const pages = [1, PAGES_PER_BLOCK, PAGES_PER_BLOCK + 1, 2 * PAGES_PER_BLOCK, last];
      for (const page of pages.filter((number) => number <= last))
        expect((await readPage(createInstance(), page))?.results).toBe(formatResults(records, page));
      expect(await readPage(createInstance(), "last")).toMatchObject({
        number: last,
        results: formatResults(records, last),
      });
      expect(await readPage(createInstance(), last + 1)).toBeUndefined();
    },
  );

  test("stores the longest lines, difficult camera_refs, statistics of several blocks, and a long source", async () => {
    const difficult = ['a"33', "a\\33", "a/33</script>", "a\u2028", "'; DROP TABLE block; --", ",\\n", "]"];
    const refs = ["'".repeat(64), "🚗".repeat(64), "道".repeat(64), '"\\'.repeat(32), ...difficult];
    const largest = Number.MAX_SAFE_INTEGER;
    const records = makeNewestFirst(6 * BLOCK_SIZE - 1).map((record, index) => {
      const [id, camera_pk] = [largest - index, largest - index];
      const counts = { cars: largest, persons: largest, bicycles: largest, trucks: largest };
      return { ...record, id, camera_pk, camera_ref: refs[index % refs.length] ?? "", ...counts };
    });
    await load(records, ["道'".repeat(30_000)]);
    const { snapshot, records: stored } = await readAll(store);
    expect(snapshot.source).toMatch(/^(%E9%81%93'){9}\.\.\.$/);
    expect(stored).toEqual(records);
    const { statistics } = await createInstance().getStatistics();
    expect(statistics).toMatchObject({ sources: ["道'".repeat(30_000)], source_count: 1 });
  });
});
