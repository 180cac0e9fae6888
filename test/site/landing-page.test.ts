import { afterEach, describe, expect, test, vi } from "vitest";
import type { Env } from "../../src/env.ts";
import { NO_COUNTS, Page } from "../../src/records/record.ts";
import { createFailingService } from "../failures/failing-service.ts";
import { createInstance, createMemoryService, ORIGIN } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { IN_BROWSER } from "./web-page.ts";

afterEach(() => vi.restoreAllMocks());

const service = await createMemoryService(makeRecords(100));
const RATE_LIMITER = { limit: async () => ({ success: true }) };

/** The landing page, as JSON and as a web page. */
async function open({ fetch } = service, origin = ORIGIN) {
  const page = await (await fetch(`${origin}/`, IN_BROWSER)).text();
  return { json: await (await fetch(`${origin}/`)).json(), page, text: page.replaceAll(/<[^>]+>/g, "") };
}

const openWith = (settings: Partial<Env>) =>
  open(createInstance(service.store, { settings }) as typeof service);

test("the landing page shows the facts of the collection, as JSON and as a web page", async () => {
  const camera_ok = { True: 43, False: 7, null: 50 };
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
      camera_ok,
      unit: "day",
      periods: [{ first: "2019-05-17", last: "2019-05-17", records: 100, failing: 7, unknown: 50 }],
    },
  });
  for (const fact of [
    `<code>${ORIGIN}/api/tf1/records/</code>`,
    "<strong>100</strong>",
    "on 7 pages",
    "<strong>4</strong>",
    "<strong>86.0 % True</strong>",
    "of 50 records with a known status",
    "on 1 day, until 2019-05-17T12:00:00Z",
    "It is not recorded where the records come from.",
  ])
    expect(page).toContain(fact);
});

test("the landing page shows a command, and the first record of its response, one field a line", async () => {
  const json = await (await service.fetch("/api/tf1/records/?page=2")).json();
  const { results, ...envelope } = Page.parse(json);
  const response = JSON.stringify({ ...envelope, results: results.slice(0, 1) }, null, 2);
  const text = (await open()).text.replaceAll("&amp;", "&");
  expect(text).toContain(`${response}The page has 14 more records.`);
});

describe("the landing page of a collection", () => {
  test("without records says that it is empty", async () => {
    const { json, page } = await open(await createMemoryService());
    const statistics = { first: null, cameras: 0, periods: [] };
    expect(json).toMatchObject({ count: 0, pages: 1, statistics });
    expect(page).toContain("The collection is empty.");
    // There is no response that could be an example.
    expect(page).not.toContain('class="example"');
  });

  test("of one record counts one page, one day, and no known status", async () => {
    const { page } = await open(await createMemoryService(makeRecords(2).slice(0, 1)));
    for (const fact of [
      "on 1 page",
      "<strong>17 May 2019</strong>",
      "<strong>Not recorded</strong>",
      "camera_ok is null in all records",
      "/api/tf1/records/?page=1&#39;",
      // Nothing was counted, and the health was not recorded.
      "The records count no road users.",
      '<td class="number">1</td><td class="number">–</td><td class="number">0.00</td>',
    ])
      expect(page).toContain(fact);
    expect(page).not.toContain("more record");
  });
});

describe("the figure of road users by hour", () => {
  /** A Friday and a Saturday: records at 7 h, at 8 h and at 12 h, and at 9 h. */
  const counts = [
    ["2019-05-17T07:00:00Z", 30],
    ["2019-05-17T07:30:00Z", 10],
    ["2019-05-17T08:00:00Z", 5],
    ["2019-05-17T12:00:00Z", 0],
    ["2019-05-18T09:00:00Z", 2],
  ] as const;
  const records = counts.map(([timestamp, cars], index) => ({
    ...makeRecords(8)[index]!,
    ...{ ...NO_COUNTS, camera_ok: null, timestamp, cars },
  }));

  test("has a line with gaps for each kind of day, and says the highest and the lowest hour", async () => {
    const { page, text } = await open(await createMemoryService(records));
    // 7 and 8 h are a line, and 12 h is one of its own. The scale ends at 20.
    expect(page).toContain('<path class="weekdays" d="M7.5 0.0L8.5 75.0M12 100.0h1"></path>');
    expect(page).toContain('<path class="weekends" d="M9 90.0h1"></path>');
    expect(text).toContain(
      "Monday to Friday: at most 20.0 from 7 to 8 h UTC, and at least 0.00 from 12 to 13 h UTC.",
    );
    expect(text).toContain("Saturday and Sunday: 2.0 from 9 to 10 h UTC. No other hour has records.");
  });

  test("says that a kind of day has no records", async () => {
    const { text } = await open(await createMemoryService(records.slice(0, 2)));
    expect(text).toContain("Saturday and Sunday: no records.");
  });
});

test("the table has the days, newest first, with links, and shows twelve of them", async () => {
  const records = makeRecords(800 * 4).filter((_, index) => index % 8 < 4);
  const { page } = await open(await createMemoryService(records));
  const rows = [...page.matchAll(/<a href="\/go\?date=([^"]*)">([^<]*)<\/a><\/th>(.*?)<\/tr>/g)];
  expect(rows.map(([, date, name]) => [date, name]).slice(0, 2)).toEqual([
    ["2019-06-02", "2 Jun 2019"],
    ["2019-06-01", "1 Jun 2019"],
  ]);
  expect(rows).toHaveLength(17);
  expect(rows[0]![3]).toMatch(/>64<.*>15.6 %<.*>22.4</);
  expect(page).toMatch(/<details><summary>5 earlier days<\/summary><table/);
});

describe("the landing page shows the setting", () => {
  test("PUBLIC_ORIGIN in addresses and examples", async () => {
    const { page } = await openWith({ PUBLIC_ORIGIN: "https://public.example" });
    expect(page).toContain("<code>https://public.example/api/tf1/records/</code>");
    expect(page).toContain("curl -s &#39;https://public.example/api/tf1/records/?page=2&#39;");
    expect(page).not.toContain(ORIGIN);
  });

  test.each<[Partial<Env>, object, string]>([
    [{ RATE_LIMIT: "10", RATE_LIMITER }, { rate_limit_seconds: 10 }, "within 10 seconds get 429"],
    [{ RATE_LIMIT: "off" }, { rate_limit_seconds: null }, "does not limit"],
  ])("%j as %j", async (settings, facts, sentence) => {
    const { json, page } = await openWith(settings);
    expect(json).toMatchObject(facts);
    expect(page).toContain(sentence);
  });

  test("FAULTS: with off, there is no word about faults", async () => {
    const { json, page } = await openWith({ FAULTS: "off", PREFER: "delay=1" });
    expect(json).toMatchObject({ faults: false, prefer: null });
    expect(page).not.toMatch(/prefer|Test a client/);
    expect((await openWith({ PREFER: "delay=1" })).page).toMatch(/Test a client.*<code>delay=1<\/code>/s);
  });
});

describe("the landing page says where the records come from:", () => {
  const createFiles = (count: number) => Array.from({ length: count }, (_, index) => `${index}.csv`);

  test.each<[string[], string]>([
    [["generated"], "The records are made up: they are the seed of this project."],
    [["counts.csv"], "The records come from: counts.csv."],
    [["generated", "counts.csv"], "The records come from: generated; counts.csv."],
    [["<b>x"], "The records come from: &lt;b&gt;x."],
    [createFiles(5), "The records come from: 0.csv; 1.csv; 2.csv; 3.csv; 4.csv."],
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
  ])("with STORE %s and the source %s the seed is at %j", async (STORE, source, url) => {
    const service = await createMemoryService(undefined, { settings: { STORE } });
    service.load(makeRecords(20), [source]);
    const { json, page } = await open(service);
    expect(json).toMatchObject({ seed_url: url });
    expect(page.includes("Download all as CSV")).toBe(url !== null);
  });
});

test("the landing page is created once for each state, origin and setting", async () => {
  const { service, control } = await createFailingService(makeRecords(200));
  const readsOf = async (origin: string) => {
    const before = control.reads;
    const page = await (await service.fetch(`${origin}/`, IN_BROWSER)).text();
    expect(page).toContain(`${origin}/api/tf1/records/`);
    return control.reads - before;
  };
  const first = await readsOf("http://one.example");
  expect(await readsOf("http://one.example"), "without the records of the example").toBeLessThan(first);
  expect(await readsOf("http://two.example")).toBe(await readsOf("http://one.example"));
  const changing = await createMemoryService(makeRecords(200));
  expect((await open(changing)).page).toContain("<strong>200</strong>");
  await changing.load(makeRecords(30));
  expect((await open(changing)).page).toContain("<strong>30</strong>");
  Object.assign(changing.env, { RATE_LIMIT: "10", RATE_LIMITER });
  expect((await open(changing)).page).toContain("within 10 seconds");
});

test("concurrent requests to a new instance each get the landing page of their own origin", async () => {
  const { fetch } = createInstance(service.store);
  const origins = ["https://a.example", "https://b.example"];
  const responses = await Promise.all(origins.map((origin) => fetch(`${origin}/`, IN_BROWSER)));
  for (const [index, response] of responses.entries())
    expect(await response.text()).toContain(`<code>${origins[index]}/api/tf1/records/</code>`);
});

test("missing statistics are an error of the landing page alone", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { store } = service;
  const readBlocks: typeof store.readBlocks = async (load, numbers) =>
    numbers.includes(0) ? [null] : store.readBlocks(load, numbers);
  const { fetch } = createInstance({ ...store, readBlocks });
  expect([(await fetch("/")).status, (await fetch("/api/tf1/records/")).status]).toEqual([503, 200]);
});
