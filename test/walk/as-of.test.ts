import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { StoreName } from "../../data/stores/configuration.ts";
import app from "../../src/index.ts";
import { lastPage } from "../../src/records/page.ts";
import { Page, type TrafficRecord } from "../../src/records/record.ts";
import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import { makeRecords } from "../records/sample.ts";
import { TRUST_MS } from "../serve.ts";
import { appendTo, context, loadInto, useWorker } from "../worker.ts";

const COLLECTION = "https://counts.example/api/tf1/records/";

const worker = useWorker();

/** Starts instances of the worker, each of which has its own cache of the collection. */
function startInstances(count: number, STORE: StoreName = "d1") {
  const environments = Array.from({ length: count }, () => ({ ...worker.env, STORE }));
  return (index: number, url: string, headers = {}) =>
    app.request(url, { headers }, environments[index % count], context);
}

const load = (records: TrafficRecord[]) => loadInto(worker.env, "d1", records);

describe("a walk of one state", () => {
  /** Follows the links of the first page to the end. Calls `happen` before each request except the first. */
  async function follow(
    first: string,
    link: "next" | "previous",
    request: (step: number, url: string) => Response | Promise<Response>,
    happen: (step: number) => Promise<void>,
  ): Promise<Page[]> {
    const pages: Page[] = [];
    for (let url: string | null = first; url !== null; url = pages.at(-1)?.[link] ?? null) {
      if (pages.length > 0) await happen(pages.length);
      pages.push(Page.parse(await (await request(pages.length, url)).json()));
    }
    return pages;
  }

  test("returns each record of its state once, even if records are added, from any instance", async () => {
    const counts = fc.oneof(
      fc.integer({ min: 1, max: 80 }),
      fc.integer({ min: 2 * BLOCK_SIZE - 10, max: 2 * BLOCK_SIZE + 40 }),
    );
    const addition = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 40 }));
    const additions = fc.array(addition, { maxLength: 60 });
    const instances = fc.array(fc.nat(2), { minLength: 60, maxLength: 60 });
    const walk = async (count: number, added: number[], served: number[], link: "next" | "previous") => {
      const records = makeRecords(count + 40 * added.length);
      let state = await load(records.slice(0, count));
      const send = startInstances(3);
      const grow = async (step: number) => {
        const more = records.slice(state.count, state.count + (added[step] ?? 0));
        if (more.length > 0) state = await appendTo(worker.env, more);
      };
      const first = `${COLLECTION}?as_of=latest${link === "next" ? "" : "&page=last"}`;
      const pages = await follow(first, link, (step, url) => send(served[step] ?? 0, url), grow);
      expect(new Set(pages.map((page) => page.count))).toEqual(new Set([count]));
      const met = (link === "next" ? pages : pages.toReversed()).flatMap(({ results }) => results);
      expect(met).toEqual(records.slice(0, count).toReversed());
    };
    const links = fc.constantFrom("next" as const, "previous" as const);
    await fc.assert(fc.asyncProperty(counts, additions, instances, links, walk), { numRuns: 20 });
  });

  test("returns pages that never change", async () => {
    const records = makeRecords(700);
    const { load: name } = await load(records.slice(0, 100));
    const url = `${COLLECTION}?as_of=100-${name}&page=3`;
    const before = await startInstances(1)(0, url);
    await appendTo(worker.env, records.slice(100));
    const after = await startInstances(1)(0, url);
    expect(await after.text()).toBe(await before.text());
  });

  test.each([
    ["latest", 100],
    ["40", 40],
    ["0040", 40],
    ["100", 100],
    ["0", 0],
    ["7&as_of=90", 90],
    ["40-LOAD", 40],
    ["100-LOAD", 100],
    ["0040-LOAD", 40],
    ["0-LOAD", 0],
    ["7-1&as_of=90-LOAD", 90],
  ])("with as_of=%s has %i records, and its links name the count and the load", async (asOf, count) => {
    const { load: name } = await load(makeRecords(100));
    const response = await startInstances(1)(0, `${COLLECTION}?as_of=${asOf.replace("LOAD", name)}`);
    const page = Page.parse(await response.json());
    expect(page.count).toBe(count);
    const next = `${COLLECTION}?as_of=${count}-${name}&format=api&page=2`;
    expect(page.next).toBe(count === 0 ? null : next);
    expect(page.previous).toBeNull();
  });

  test.each<[StoreName, number, number]>([
    ["d1", 404, TRUST_MS],
    // While a location may lag, the load may be one that it does not see yet.
    ["kv", 503, 70_000],
  ])("ends when %s gets another load", async (store, status, milliseconds) => {
    await loadInto(worker.env, store, makeRecords(100));
    const request = startInstances(2, store);
    const { next } = Page.parse(await (await request(0, `${COLLECTION}?as_of=latest`)).json());
    await loadInto(worker.env, store, makeRecords(200));
    expect((await request(0, String(next))).status, "trusts its copy of the state for some seconds").toBe(
      200,
    );
    for (let repeat = 0; repeat < 2; repeat++) expect((await request(1, String(next))).status).toBe(status);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + milliseconds);
    for (const instance of [0, 1]) {
      const response = await request(instance, String(next));
      expect(response.status).toBe(404);
      const detail = "The collection was replaced, so the state that as_of names is gone.";
      expect(await response.json()).toEqual({ detail });
    }
    vi.useRealTimers();
  });

  test.each([
    "",
    "101",
    "-1",
    "1.5",
    "abc",
    "LATEST",
    "last",
    "9".repeat(30),
    "9007199254740991",
    "1e1",
    "%F0",
    "40-",
    "-40",
    "40-1-2",
    "40-ABC",
    "40--1",
    "latest-1",
  ])("with as_of=%s gets 404 Invalid page.", async (asOf) => {
    await load(makeRecords(100));
    const request = startInstances(1);
    for (const query of [`as_of=${asOf}`, `as_of=${asOf}&page=2`, `page=last&as_of=${asOf}`]) {
      const response = await request(0, `${COLLECTION}?${query}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ detail: "Invalid page." });
      const copied = await request(0, `${COLLECTION}?${query}`, { "if-none-match": "*" });
      expect(copied.status).toBe(404);
    }
  });

  test("gets 404 past the last page of its state, even if the collection has that page now", async () => {
    await load(makeRecords(100));
    const request = startInstances(1);
    expect((await request(0, `${COLLECTION}?as_of=40&page=${lastPage(40)}`)).status).toBe(200);
    expect((await request(0, `${COLLECTION}?as_of=40&page=${lastPage(40) + 1}`)).status).toBe(404);
  });

  test("keeps its state in the links and the form of a page for a browser", async () => {
    const { load: name } = await load(makeRecords(100));
    const page = await startInstances(1)(0, `${COLLECTION}?as_of=latest`, { accept: "text/html" });
    const text = await page.text();
    expect(text).toContain(`<input type="hidden" name="as_of" value="100-${name}">`);
    expect(text).toContain(`?as_of=100-${name}&amp;format=api&amp;page=2`);
    expect(text).not.toContain("as_of=latest");
  });
});
