import { expect, test, vi } from "vitest";
import { SAMPLE_DATA_HASH } from "#sample-data-hash";
import type { Env } from "../../src/bindings.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import { FRESH_MS } from "../../src/store/snapshot-cache.ts";
import type { Store } from "../../src/store/store.ts";
import { encodeStatistics, NO_STATISTICS } from "../../src/store/stored-statistics.ts";
import { makeSnapshot } from "../support/controlled-store.ts";
import { IN_BROWSER } from "../support/html-view.ts";
import { createInstance, createMemoryService } from "../support/memory-service.ts";
import { makeNewestFirst } from "../support/reader.ts";
import { createStatistics, encodeBlocks, makeRecords } from "../support/sample-records.ts";

const service = await createMemoryService(makeRecords(100));
const { origin: ORIGIN } = service;

/** Gets the home page as JSON and as HTML. */
async function open({ fetch }: Pick<typeof service, "fetch"> = service) {
  return { json: await (await fetch("/")).json(), page: await (await fetch("/", IN_BROWSER)).text() };
}

const LIMITED = { RATE_LIMIT: "10", RATE_LIMITER: { limit: async () => ({ success: true }) } };
const NO_FAULTS = { faults: false, prefer: null };

test.each<[name: string, settings: Partial<Env>, json: object, shown: string, hidden: string]>([
  ["PUBLIC_ORIGIN", { PUBLIC_ORIGIN: "https://p.example" }, {}, "https://p.example/api/tf1/", ORIGIN],
  ["a rate limit", LIMITED, { rate_limit_seconds: 10 }, "within 10 seconds", "no rate limit"],
  ["no rate limit", { RATE_LIMIT: "off" }, { rate_limit_seconds: null }, "no rate limit", "status 429."],
  ["default faults", { PREFER: "fail=0.1" }, { prefer: "fail=0.1" }, "<code>fail=0.1</code>", "status 429."],
  ["no default faults", {}, { faults: true, prefer: null }, "prefer=code=503", "prefer=none"],
  ["nothing hidden", { PREFER: "grow=1/s" }, { count: 100 }, "for 4 roadside cameras", "More appear"],
  ["no faults", { FAULTS: "off", PREFER: "delay=1" }, NO_FAULTS, "The collection", "prefer"],
])("the home page says what the setting means: %s", async (_, settings, facts, shown, hidden) => {
  // In the last of the 50 seconds of its growth, the collection has all 100 records.
  const { json, page } = await open(createInstance(service.store, { settings, now: () => 49_000 }));
  expect(json).toMatchObject(facts);
  expect(page).toContain(shown);
  expect(page).not.toContain(hidden);
});

test.each<[name: string, sources: string[], shown: string]>([
  ["nothing recorded", [], "not recorded"],
  ["the sample data", ["generated"], "<b>20 generated records of 17 May 2019</b>"],
  ["two sources", ["old.csv", "new.csv"], "Sources: old.csv; new.csv."],
  ["markup", ["<b>x"], "Source: &lt;b&gt;x."],
  ["more than are stored", Array(25).fill("x.csv"), "x.csv; and 5 more."],
])("the home page shows where the records come from: %s", async (_, sources, shown) => {
  const service = await createMemoryService();
  const { loaded_at } = service.load(makeRecords(20), sources);
  const { json, page } = await open(service);
  expect(json).toMatchObject({ loaded: { source_count: sources.length } });
  expect(page).toContain(shown);
  expect(page).toContain(`<time datetime="${loaded_at}">`);
});

test.each([
  ["if it is what is served", SAMPLE_DATA_HASH, `${ORIGIN}/seed.csv.gz`],
  ["not if other records are served", "other", null],
])("the download of the sample data is offered %s", async (_, records_hash, url) => {
  const records = makeNewestFirst(20);
  const statistics = { ...NO_STATISTICS, ...createStatistics(records), records_hash };
  const blocks = [...encodeBlocks(records), ...encodeStatistics(statistics)];
  const { json, page } = await open(createInstance(createMemoryStore(makeSnapshot(20), blocks)));
  expect(json).toMatchObject({ sample_data_url: url });
  expect(page.includes('.csv.gz"')).toBe(url !== null);
});

test("the home page has no example if the collection was replaced after its statistics were read", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { snapshot } = await service.store.readCurrent();
  const served = { ...snapshot } as Snapshot;
  const { fetch } = createInstance({
    readCurrent: async () => ({ snapshot: { ...served } }),
    async readBlocks(_, numbers) {
      served.id = "next";
      vi.advanceTimersByTime(FRESH_MS);
      return service.store.readBlocks(String(snapshot.id), numbers);
    },
  });
  const response = await fetch("/", IN_BROWSER);
  expect(await response.text()).not.toContain('class="example"');
});

test("without its statistics, a collection has no home page, but is served", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const readBlocks: Store["readBlocks"] = async (id, numbers) =>
    numbers.includes(0) ? [null] : service.store.readBlocks(id, numbers);
  const { fetch } = createInstance({ ...service.store, readBlocks });
  expect([(await fetch("/")).status, (await fetch("/api/tf1/records/")).status]).toEqual([503, 200]);
});
