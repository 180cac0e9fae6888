import { describe, expect, test, vi } from "vitest";
import { SAMPLE_DATA_HASH } from "#sample-data-hash";
import { createApp } from "../../src/app.ts";
import type { Env } from "../../src/bindings.ts";
import { Page } from "../../src/records/schema.ts";
import { getCachedStore } from "../../src/store/create-store.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import { MAX_AGE_MS } from "../../src/store/snapshot-cache.ts";
import type { Store } from "../../src/store/store.ts";
import { encodeStatistics, NO_STATISTICS } from "../../src/store/stored-statistics.ts";
import { makeSnapshot } from "../support/controlled-store.ts";
import { extractText, findLinks, IN_BROWSER } from "../support/html-view.ts";
import { context, createInstance, createMemoryService } from "../support/memory-service.ts";
import { makeNewestFirst } from "../support/reader.ts";
import { createStatistics, encodeBlocks, makeRecords } from "../support/sample-records.ts";

const service = await createMemoryService(makeRecords(100));
const { origin: ORIGIN } = service;

/** Gets the home page as JSON and as HTML. */
async function open({ fetch }: Pick<typeof service, "fetch"> = service) {
  const page = await (await fetch("/", IN_BROWSER)).text();
  return { json: await (await fetch("/")).json(), page, text: extractText(page) };
}

test("the home page shows the facts of a collection in JSON and in HTML", async () => {
  const { json, page } = await open();
  expect(json).toMatchObject({
    count: 100,
    pages: 7,
    loaded_at: expect.stringMatching(/^\d{4}-/),
    statistics: {
      first: "2019-05-17T00:00:00Z",
      last: "2019-05-17T12:00:00Z",
      cameras: 4,
      days: 1,
      camera_ok: { True: 43, False: 7, null: 50 },
      unit: "day",
      periods: [{ first: "2019-05-17", last: "2019-05-17", records: 100, failing: 7, unknown: 50 }],
    },
  });
  for (const fact of [
    `<code>${ORIGIN}/api/tf1/records/</code>`,
    "<b>100 records</b> from <b>17 May 2019</b> to <b>17 May 2019</b>",
    "<strong>100</strong> on 7 pages",
    "<strong>4</strong>",
    "<strong>86.0\u00a0% True</strong> of 50 records",
    "cars 1,365 · persons 548 · bicycles 187 · trucks 141 · motorcycles 47 · buses 91",
  ])
    expect(page).toContain(fact);
});

test.each([
  [100, "The response, formatted and shortened to one of its 15 records:"],
  [16, "The response, formatted:"],
])("with %i records, the home page shows the response of its command", async (count, introduction) => {
  const service = await createMemoryService(makeRecords(count));
  const response = await service.fetch("/api/tf1/records/?page=2");
  const { results, ...envelope } = Page.parse(await response.json());
  const example = JSON.stringify({ ...envelope, results: results.slice(0, 1) }, null, 2);
  expect((await open(service)).text).toContain(introduction + example);
});

test("the home page of an empty collection has no example and no chart", async () => {
  const { json, page } = await open(await createMemoryService());
  expect(json).toMatchObject({ count: 0, pages: 1, statistics: { first: null, cameras: 0, periods: [] } });
  expect(page).not.toMatch(/class="example"|<figure/);
});

test("one record without counts and camera health is no division by zero", async () => {
  const { page } = await open(await createMemoryService(makeRecords(1)));
  expect(page).not.toMatch(/NaN\u00a0%|\u00a0% True/);
  expect(page).toContain("/api/tf1/records/?page=1&#39;");
  expect(page).toContain('<td class="number">1</td><td class="number">–</td><td class="number">0.00</td>');
});

test("the table of days is newest first, with links, and only twelve days are always visible", async () => {
  const records = makeRecords(800 * 4).filter((_, index) => index % 8 < 4);
  const { page } = await open(await createMemoryService(records));
  const rows = [...page.matchAll(/<a href="\/go\?date=([^"]*)">([^<]*)<\/a><\/th>(.*?)<\/tr>/g)];
  const names = rows.map(([, date, name]) => `${date}: ${name}`);
  expect(names.slice(0, 2)).toEqual(["2019-06-02: 2 Jun 2019", "2019-06-01: 1 Jun 2019"]);
  expect(rows).toHaveLength(17);
  expect(page.match(/<caption><b>Records by day<\/b><\/caption>/g)).toHaveLength(2);
  expect(rows[0]![3]).toMatch(/>64<.*>15.6\u00a0%<.*>26.6</);
  expect(page).toMatch(/<details><summary>5 earlier days<\/summary><table/);
});

test("while the collection grows, the table has the days that are visible, and no others", async () => {
  const { store } = await createMemoryService(makeRecords(3_000));
  let now = Date.UTC(2026, 0, 1);
  const { fetch } = createInstance(store, { settings: { PREFER: "grow=1000/h" }, now: () => now });
  const all = findLinks((await open({ fetch: createInstance(store).fetch })).page);
  for (let hour = 0; hour < 2; hour++, now += 3_600_000) {
    const { page } = await open({ fetch });
    expect(page).not.toContain("No records are added");
    for (const day of all.filter((url) => url.startsWith("/go?")))
      expect((await fetch(day)).status, day).toBe(findLinks(page).includes(day) ? 302 : 404);
  }
});

test("each fault of the home page is applied to its link, and the page without default faults has no fault", async () => {
  const { fetch } = createInstance(service.store, { settings: { PREFER: "code=500" } });
  const { page } = await open({ fetch });
  const paths = findLinks(page).filter((url) => url.includes("prefer="));
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) {
    const applied = (await fetch(path)).headers.get("Preference-Applied") ?? "none";
    expect(applied).toBe(new URL(path, ORIGIN).searchParams.get("prefer")!.replace(",", ", "));
  }
});

const LIMITED = { RATE_LIMIT: "10", RATE_LIMITER: { limit: async () => ({ success: true }) } };
const NO_FAULTS = { faults: false, prefer: null };

test.each<[name: string, settings: Partial<Env>, json: object, shown: string, hidden: string]>([
  ["PUBLIC_ORIGIN", { PUBLIC_ORIGIN: "https://p.example" }, {}, "https://p.example/api/tf1/", ORIGIN],
  ["a rate limit", LIMITED, { rate_limit_seconds: 10 }, "within 10 seconds", "no rate limit"],
  ["no rate limit", { RATE_LIMIT: "off" }, { rate_limit_seconds: null }, "no rate limit", "status 429."],
  ["default faults", { PREFER: "fail=0.1" }, { prefer: "fail=0.1" }, "<code>fail=0.1</code>", "status 429."],
  ["no default faults", {}, { faults: true, prefer: null }, "prefer=code=503", "prefer=none"],
  ["a page without default faults", { PREFER: "code=503" }, {}, "&amp;prefer=none&#39;", "?page=2&#39;"],
  ["no faults", { FAULTS: "off", PREFER: "delay=1" }, NO_FAULTS, "The collection", "prefer"],
])("the home page says what the setting means: %s", async (_, settings, facts, shown, hidden) => {
  const { json, page } = await open(createInstance(service.store, { settings }));
  expect(json).toMatchObject(facts);
  expect(page).toContain(shown);
  expect(page).not.toContain(hidden);
});

test.each<[name: string, sources: string[], shown: string]>([
  ["nothing recorded", [], "not recorded"],
  ["the sample data", ["generated"], "<b>20 generated sample records</b>"],
  ["two sources", ["old.csv", "new.csv"], "Sources: old.csv; new.csv."],
  ["markup", ["<b>x"], "Source: &lt;b&gt;x."],
  ["more than it shows", ["1", "2", "3", "4", "5", "6", "7"], "1; 2; 3; 4; 5; and 2 more."],
  ["more than are stored", Array(25).fill("x.csv"), "x.csv; and 20 more."],
])("the home page shows where the records come from: %s", async (_, sources, shown) => {
  const service = await createMemoryService();
  const { loaded_at } = service.load(makeRecords(20), sources);
  const { json, page } = await open(service);
  expect(json).toMatchObject({ statistics: { source_count: sources.length } });
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

describe("the home page is created", () => {
  test("from statistics that are read once for each load", async () => {
    const numbers: number[] = [];
    const readBlocks: Store["readBlocks"] = (id, requested) => {
      numbers.push(...requested);
      return service.store.readBlocks(id, requested);
    };
    const { env } = createInstance({ ...service.store, readBlocks });
    // A cache for 0 blocks stores nothing.
    getCachedStore(env, { limits: { blocks: 0, pages: 0 } });
    const { app } = createApp();
    const open = async (origin: string, init = {}) => {
      const text = await (await app.fetch(new Request(origin, init), env, context)).text();
      expect(text).toContain(`${origin}/api/tf1/records/`);
    };
    await open(ORIGIN);
    for (let request = 0; request < 2; request++) await open(ORIGIN, IN_BROWSER);
    await open("http://two.example", IN_BROWSER);
    const statistics = numbers.filter((block) => block === 0);
    expect(statistics).toHaveLength(1);
  });

  test("again after a load", async () => {
    const changing = await createMemoryService(makeRecords(200));
    expect((await open(changing)).page).toContain("<strong>200</strong>");
    changing.load(makeRecords(30));
    expect((await open(changing)).page).toContain('<td class="number">30</td>');
  });

  test("again after a load of the same records, which have the same id in the package", async () => {
    const current = await service.store.readCurrent();
    let loaded_at = "2026-01-01T00:00:00.000Z";
    const readCurrent = async () => ({ snapshot: { ...current.snapshot, loaded_at } as Snapshot });
    const instance = createInstance({ ...service.store, readCurrent });
    await open(instance);
    loaded_at = "2026-01-02T00:00:00.000Z";
    instance.clearCache();
    const { json, page } = await open(instance);
    expect(json).toMatchObject({ loaded_at });
    expect(page).toContain(`<time datetime="${loaded_at}">`);
  });

  /** Creates an instance whose store lacks a block until it is repaired. */
  const createDamaged = (number: number) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const damage = { isRepaired: false };
    const readBlocks: Store["readBlocks"] = async (id, numbers) =>
      damage.isRepaired || !numbers.includes(number) ? service.store.readBlocks(id, numbers) : [null];
    return { damage, ...createInstance({ ...service.store, readBlocks }) };
  };

  test("without an example while the block of the example is missing", async () => {
    const { fetch, damage } = createDamaged(1);
    const damaged = await fetch("/", IN_BROWSER);
    expect([damaged.status, damaged.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await damaged.text()).not.toContain('class="example"');
    damage.isRepaired = true;
    expect(await (await fetch("/", IN_BROWSER)).text()).toContain('class="example"');
  });

  test("without an example if the collection was replaced after its statistics were read", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { snapshot } = await service.store.readCurrent();
    const served = { ...snapshot } as Snapshot;
    const { fetch } = createInstance({
      readCurrent: async () => ({ snapshot: { ...served } }),
      async readBlocks(_, numbers) {
        served.id = "next";
        vi.advanceTimersByTime(MAX_AGE_MS);
        return service.store.readBlocks(String(snapshot.id), numbers);
      },
    });
    const response = await fetch("/", IN_BROWSER);
    vi.useRealTimers();
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.text()).not.toContain('class="example"');
  });

  test("unless the statistics are missing. The collection is still served", async () => {
    const { fetch } = createDamaged(0);
    expect([(await fetch("/")).status, (await fetch("/api/tf1/records/")).status]).toEqual([503, 200]);
  });
});
