import { afterEach, describe, expect, test, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import type { Env } from "../../src/bindings.ts";
import { Page } from "../../src/records/record.ts";
import { getCachedStore } from "../../src/store/create-store.ts";
import type { Store } from "../../src/store/store.ts";
import { context, createInstance, createMemoryService, type Instance, ORIGIN } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { extractText, IN_BROWSER } from "./html-view.ts";

afterEach(() => vi.restoreAllMocks());

const service = await createMemoryService(makeRecords(100));
const RATE_LIMITER = { limit: async () => ({ success: true }) };

/** Gets the home page as JSON and as HTML. */
async function open({ fetch }: Pick<Instance, "fetch"> = service) {
  const page = await (await fetch("/", IN_BROWSER)).text();
  return { json: await (await fetch("/")).json(), page, text: extractText(page) };
}

describe("the home page of a collection", () => {
  test("shows its facts in JSON and in HTML", async () => {
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
      "<strong>100</strong> on 7 pages",
      "<strong>4</strong>",
      "<strong>86.0\u00a0% True</strong> of 50 records with a known status",
      "on 1 day, until 12:00:00 UTC",
      "cars 1,365 · persons 548 · bicycles 187 · trucks 141 · motorcycles 47 · buses 91",
    ])
      expect(page).toContain(fact);
  });

  test("shows a command, and its response with the first record", async () => {
    const { results, ...envelope } = Page.parse(
      await (await service.fetch("/api/tf1/records/?page=2")).json(),
    );
    const response = JSON.stringify({ ...envelope, results: results.slice(0, 1) }, null, 2);
    expect((await open()).text).toContain(response);
  });

  test("is empty without records, and has no example and no chart", async () => {
    const { json, page } = await open(await createMemoryService());
    const statistics = { first: null, cameras: 0, periods: [] };
    expect(json).toMatchObject({ count: 0, pages: 1, statistics });
    expect(page).toContain("The collection is empty.");
    expect(page).not.toMatch(/class="(example|chart)"/);
  });

  test("has one record without counts and camera health", async () => {
    const { page } = await open(await createMemoryService(makeRecords(1)));
    for (const fact of [
      "on 1 page",
      "<strong>17 May 2019</strong>",
      "<strong>Not recorded</strong> camera_ok is null in all records",
      "/api/tf1/records/?page=1&#39;",
      "No road users were counted.",
      '<td class="number">1</td><td class="number">–</td><td class="number">0.00</td>',
    ])
      expect(page).toContain(fact);
  });

  test("has a table of days, newest first, with links. Twelve days are always visible", async () => {
    const records = makeRecords(800 * 4).filter((_, index) => index % 8 < 4);
    const { page } = await open(await createMemoryService(records));
    const rows = [...page.matchAll(/<a href="\/go\?date=([^"]*)">([^<]*)<\/a><\/th>(.*?)<\/tr>/g)];
    expect(rows.map(([, date, name]) => [date, name]).slice(0, 2)).toEqual([
      ["2019-06-02", "2 Jun 2019"],
      ["2019-06-01", "1 Jun 2019"],
    ]);
    expect(rows).toHaveLength(17);
    expect(rows[0]![3]).toMatch(/>64<.*>15.6\u00a0%<.*>26.6</);
    expect(page).toMatch(/<details><summary>5 earlier days<\/summary><table/);
  });
});

const LIMITED = { RATE_LIMIT: "10", RATE_LIMITER };
const NO_FAULTS = { faults: false, prefer: null };

test.each<[Partial<Env>, json: object, shown: string, hidden: string]>([
  [{ PUBLIC_ORIGIN: "https://p.example" }, {}, "https://p.example/api/tf1/records/?page=2", ORIGIN],
  [LIMITED, { rate_limit_seconds: 10 }, "within 10 seconds gets status 429", "no rate limit"],
  [{ RATE_LIMIT: "off" }, { rate_limit_seconds: null }, "has no rate limit", "gets status 429"],
  [{ PREFER: "fail=0.1" }, { prefer: "fail=0.1" }, "applies <code>fail=0.1</code>", "no rate limit of"],
  [{}, { faults: true, prefer: null }, "Test your client", "prefer=none"],
  [{ FAULTS: "off", PREFER: "delay=1" }, NO_FAULTS, "The collection", "prefer"],
  [{ FAULTS: "off" }, NO_FAULTS, "The collection", "Test your client"],
])("the home page shows the setting %j as %j and %j, without %j", async (settings, facts, shown, hidden) => {
  const { json, page } = await open(createInstance(service.store, { settings }));
  expect(json).toMatchObject(facts);
  expect(page).toContain(shown);
  expect(page).not.toContain(hidden);
});

describe("the home page shows the sources of the records:", () => {
  const createFiles = (count: number) => Array.from({ length: count }, (_, index) => `${index}.csv`);

  test.each<[string[], string]>([
    [[], "The source of these records was not recorded."],
    [["generated"], "The records are generated: they are the sample data of this project."],
    [["generated", "counts.csv"], "Sources: generated; counts.csv."],
    [["<b>x"], "Sources: &lt;b&gt;x."],
    [createFiles(5), "Sources: 0.csv; 1.csv; 2.csv; 3.csv; 4.csv."],
    [createFiles(7), "3.csv; 4.csv; and 2 more."],
    [createFiles(25), "3.csv; 4.csv; and 20 more."],
  ])("%j: %s", async (sources, sentence) => {
    const service = await createMemoryService();
    const { loaded_at } = service.load(makeRecords(20), sources);
    const { json, page } = await open(service);
    expect(json).toMatchObject({
      statistics: { sources: sources.slice(0, 20), source_count: sources.length },
    });
    expect(page).toContain(sentence);
    expect(page).toContain(`<time datetime="${loaded_at}">`);
  });

  test.each<[string, string, string | null]>([
    ["d1", "generated", `${ORIGIN}/seed.csv.gz`],
    ["d1", "counts.csv", null],
    ["memory", "generated", null],
  ])("with STORE %s and the source %s, the URL of the sample data is %j", async (STORE, source, url) => {
    const service = await createMemoryService(undefined, { settings: { STORE } });
    service.load(makeRecords(20), [source]);
    const { json, page } = await open(service);
    expect(json).toMatchObject({ sample_data_url: url });
    expect(page.includes("Download all records as CSV")).toBe(url !== null);
  });
});

describe("the home page is created", () => {
  test("from statistics and records that are read once for each load, origin and setting", async () => {
    const numbers: number[] = [];
    const readBlocks: Store["readBlocks"] = (id, requested) => {
      numbers.push(...requested);
      return service.store.readBlocks(id, requested);
    };
    const { env } = createInstance({ ...service.store, readBlocks });
    // A cache for 0 blocks stores nothing.
    getCachedStore(env, { blocks: 0, pages: 0 });
    const { app } = createApp();
    const open = async (origin: string, init = {}) => {
      const text = await (await app.fetch(new Request(origin, init), env, context)).text();
      expect(text).toContain(`${origin}/api/tf1/records/`);
    };
    await open(ORIGIN);
    for (let request = 0; request < 2; request++) await open(ORIGIN, IN_BROWSER);
    await open("http://two.example", IN_BROWSER);
    Object.assign(env, { RATE_LIMIT: "60", RATE_LIMITER: { limit: async () => ({ success: true }) } });
    await open("http://two.example", IN_BROWSER);
    expect(numbers).toEqual([0, 1, 1, 1]);
  });

  test("again after a load", async () => {
    const changing = await createMemoryService(makeRecords(200));
    expect((await open(changing)).page).toContain("<strong>200</strong>");
    changing.load(makeRecords(30));
    expect((await open(changing)).page).toContain("<strong>30</strong>");
  });

  test("without an example while the block of the example is damaged", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { store } = service;
    let isDamaged = true;
    const readBlocks: typeof store.readBlocks = async (load, numbers) =>
      isDamaged && numbers.includes(1) ? [null] : store.readBlocks(load, numbers);
    const { fetch } = createInstance({ ...store, readBlocks });
    const damaged = await fetch("/", IN_BROWSER);
    expect([damaged.status, damaged.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await damaged.text()).toMatch(/^(?!.*class="example").*<strong>100<\/strong>/s);
    isDamaged = false;
    expect(await (await fetch("/", IN_BROWSER)).text()).toContain('class="example"');
  });

  test("unless the statistics are missing. The collection is still served", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { store } = service;
    const readBlocks: typeof store.readBlocks = async (load, numbers) =>
      numbers.includes(0) ? [null] : store.readBlocks(load, numbers);
    const { fetch } = createInstance({ ...store, readBlocks });
    expect([(await fetch("/")).status, (await fetch("/api/tf1/records/")).status]).toEqual([503, 200]);
  });
});
