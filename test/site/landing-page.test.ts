import { beforeAll, describe, expect, test } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import app from "../../src/index.ts";
import { Page } from "../../src/records/record.ts";
import type { Source } from "../../src/records/statistics.ts";
import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import { makeRecords } from "../records/sample.ts";
import { context, loadInto, useWorker } from "../worker.ts";
import { inBrowser } from "./browser-request.ts";

const COUNT = 100;

/** A worker whose database is empty, until a test loads records into it. */
const worker = useWorker();

/** Requests the landing page from a new instance, which has no cached state. */
async function openPage(init?: RequestInit, { origin = "http://one.example", settings = {} } = {}) {
  return app.request(`${origin}/`, init, { ...worker.env, ...settings }, context);
}

describe("without records", () => {
  test("the landing page reports an empty collection", async () => {
    expect(await (await openPage()).json()).toMatchObject({
      count: 0,
      pages: 1,
      statistics: { first: null, cameras: 0, periods: [] },
    });
    expect(await (await openPage(inBrowser())).text()).toContain("The collection is empty.");
  });
});

describe.each(STORE_NAMES)("the landing page with the store %s", (store) => {
  const worker = useWorker({ vars: { STORE: store } });
  beforeAll(async () => {
    await loadInto(worker.env, store, makeRecords(COUNT));
  });

  test("responds to clients with JSON", async () => {
    const response = await worker.fetch("/");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("vary")).toBe("Accept");
    expect(await response.json()).toMatchObject({
      name: "Traffic Count Records",
      records_url: `${worker.origin}/api/tf1/records/`,
      reference_url: `${worker.origin}/docs`,
      openapi_url: `${worker.origin}/openapi.json`,
      count: COUNT,
      pages: 7,
      loaded_at: expect.stringMatching(/^\d{4}-/),
      grows: false,
      statistics: {
        first: "2019-05-17T00:00:00Z",
        last: "2019-05-17T12:00:00Z",
        cameras: 4,
        camera_ok: { True: 43, False: 7, null: 50 },
        unit: "day",
        periods: [
          {
            first: "2019-05-17",
            last: "2019-05-17",
            records: COUNT,
            camera_ok: { True: 43, False: 7, null: 50 },
          },
        ],
      },
    });
  });

  test("shows the same facts in a browser", async () => {
    const response = await worker.fetch("/", inBrowser());
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const page = await response.text();
    expect(page).toContain(`<code>${worker.origin}/api/tf1/records/</code>`);
    for (const fact of [
      "<strong>100</strong>",
      "7 pages of up to 15",
      "<strong>4</strong>",
      "<strong>86.0 % True</strong>",
      "of 50 records with a known status",
      "It is not recorded where the records come from.",
    ])
      expect(page).toContain(fact);
  });

  test("shows a command, and the first record of its response, one field a line", async () => {
    const page = await (await worker.fetch("/", inBrowser())).text();
    const text = page.replaceAll(/<[^>]+>/g, "").replaceAll("&amp;", "&");
    const json = await (await worker.fetch("/api/tf1/records/?page=2")).json();
    const { results, ...envelope } = Page.parse(json);
    const response = JSON.stringify({ ...envelope, results: results.slice(0, 1) }, null, 2);
    expect(text).toContain(`${response}The page has 14 more records.`);
  });

  test("uses the public origin in addresses and examples", async () => {
    const env = { ...worker.env, PUBLIC_ORIGIN: "https://counts.example" };
    const page = await (await app.request("http://inside:8787/", inBrowser(), env, context)).text();
    expect(page).toContain("<code>https://counts.example/api/tf1/records/</code>");
    expect(page).toContain("curl -s &#39;https://counts.example/api/tf1/records/?page=2&#39;");
    expect(page).not.toContain("inside:8787");
  });

  test("reports whether the collection grows by itself", async () => {
    const open = async (GROW: string, init?: RequestInit) =>
      (await app.request("http://inside:8787/", init, { ...worker.env, GROW }, context)).text();
    expect(JSON.parse(await open("on"))).toMatchObject({ grows: true });
    expect(JSON.parse(await open("off"))).toMatchObject({ grows: false });
    expect(await open("on", inBrowser())).toContain("every half hour");
    expect(await open("off", inBrowser())).not.toContain("every half hour");
  });

  test("reports the rate limit", async () => {
    const RATE_LIMITER = { limit: async () => ({ success: true }) };
    const open = async (RATE_LIMIT: string, init?: RequestInit) => {
      const env = { ...worker.env, RATE_LIMITER, RATE_LIMIT };
      return (await app.request("http://inside:8787/", init, env, context)).text();
    };
    expect(JSON.parse(await open("60"))).toMatchObject({ rate_limit_seconds: 60 });
    expect(JSON.parse(await open("off"))).toMatchObject({ rate_limit_seconds: null });
    expect(await open("10", inBrowser())).toContain("within 10 seconds get 429");
    expect(await open("off", inBrowser())).toContain("does not limit");
  });
});

describe("the landing page says where the records come from", () => {
  const seed: Source = { kind: "seed", name: "data/seed" };
  const growth: Source = { kind: "growth", name: "cron trigger" };
  const file: Source = { kind: "file", name: "counts.csv" };

  const createFiles = (count: number) =>
    Array.from({ length: count }, (_, index): Source => ({ kind: "file", name: `${index}.csv` }));

  test.each<[Source[], string]>([
    [[seed], "The records are made up: they are the seed of this project."],
    [[seed, growth], "The records are made up"],
    [[file], "The records come from: counts.csv."],
    [[seed, file], "The records come from: the made-up seed of this project; counts.csv."],
    [[file, growth], "counts.csv; made-up records that this deployment adds every half hour."],
    [[{ kind: "stated", name: "<b>x" }], "The records come from: &lt;b&gt;x."],
    [createFiles(5), "The records come from: 0.csv; 1.csv; 2.csv; 3.csv; 4.csv."],
    [createFiles(7), "3.csv; 4.csv; and 2 more."],
    [createFiles(25), "3.csv; 4.csv; and 20 more."],
  ])("%j: %s", async (sources, text) => {
    const { switchedAt } = await loadInto(worker.env, "d1", makeRecords(20), sources);
    const page = await (await openPage(inBrowser())).text();
    expect(await (await openPage()).json()).toMatchObject({
      statistics: { sources: sources.slice(0, 20), source_count: sources.length },
    });
    expect(page).toContain(text);
    expect(page).toContain(`<time datetime="${switchedAt}">`);
    expect(page.includes("made up:")).toBe(text.includes("made up"));
  });
});

test("the landing page of one record counts one page, one day, and no known status", async () => {
  await loadInto(worker.env, "d1", makeRecords(2).slice(0, 1));
  const page = await (await openPage(inBrowser())).text();
  for (const fact of [
    "1 page of up to 15",
    "<strong>17 May 2019</strong>",
    "<strong>Not recorded</strong>",
    "camera_ok is null in all records",
    "/api/tf1/records/?page=1&#39;",
  ])
    expect(page).toContain(fact);
});

describe("the landing page is created once for each state", () => {
  test("and again when the state, the origin or a setting changes", async () => {
    const open = async (origin: string, settings = {}) =>
      (await openPage(inBrowser(), { origin, settings })).text();
    // Page 2 needs a block.
    await loadInto(worker.env, "d1", makeRecords(BLOCK_SIZE + 5));
    const first = await open("http://one.example");
    expect(first).toContain(`<strong>${BLOCK_SIZE + 5}</strong>`);
    // Each request has its own cache, so creating the page again would read the records.
    await worker.env.DB.prepare("UPDATE blocks SET first = first + 1000000").run();
    expect(await open("http://one.example")).toBe(first);
    await worker.env.DB.prepare("UPDATE blocks SET first = first - 1000000").run();
    expect(await open("http://two.example")).toContain("http://two.example/api/tf1/records/");
    expect(await open("http://two.example", { GROW: "on" })).toContain("every half hour");
    await loadInto(worker.env, "d1", makeRecords(30));
    expect(await open("http://two.example")).toContain("<strong>30</strong>");
  });
});

test("missing statistics are an error of the landing page alone", async () => {
  await loadInto(worker.env, "d1", makeRecords(COUNT));
  await worker.env.DB.exec("DELETE FROM statistics");
  expect((await openPage()).status).toBe(503);
  expect((await app.request("/api/tf1/records/", {}, { ...worker.env }, context)).status).toBe(200);
});
