import { afterEach, beforeEach, expect, test } from "vitest";
import { makeRecords } from "../../../records/sample.ts";
import { type FakeService, startFakeService } from "./fake-service.ts";
import { linesOf, newFile, runCrawl } from "./run-crawl.ts";

const RECORDS = makeRecords(300);
/** The same number of other records with the same ids, as after a load of other reports. */
const OTHERS = makeRecords(300).map((record) => ({ ...record, cars: record.cars + 1 }));

let service: FakeService;
beforeEach(async () => {
  service = await startFakeService(RECORDS.slice(0, 100));
});
afterEach(() => service.close());

const REPLACED =
  /\. The collection was replaced during the crawl, or its order is not stable\. Use --restart to start over\.$/;

test.each([
  ["fewer records", RECORDS.slice(0, 80)],
  ["no records", []],
  ["the same number of other records", OTHERS.slice(0, 100)],
  ["more other records", OTHERS.slice(0, 107)],
  ["other records that are two whole pages more", OTHERS.slice(0, 130)],
  ["a much larger number of other records", OTHERS],
  ["the same number of other, later records", OTHERS.slice(200)],
])("a collection that is replaced by %s ends the crawl", async (_, records) => {
  for (const concurrency of [1, 5]) {
    service.records = RECORDS.slice(0, 100);
    const at = service.requests.length + 4;
    service.onRequest = ({ index }) => {
      if (index === at) service.records = records;
      return undefined;
    };
    const { error } = await runCrawl(service.origin, { concurrency });
    expect(error).toMatch(REPLACED);
  }
});

test("a replacement that adds whole pages is noticed at once, although no page overlaps", async () => {
  service.records = RECORDS.slice(0, 240);
  service.onRequest = ({ index }) => {
    if (index === 3) service.records = OTHERS;
    return undefined;
  };
  expect((await runCrawl(service.origin)).error).toMatch(REPLACED);
  // Three pages before the replacement, the fourth and the next one, and three requests for the page before.
  expect(service.requests.length).toBeLessThanOrEqual(9);
});

test("a page that looks like a replacement is not copied", async () => {
  // The page is counted before growth and selected after it: no record is known, and all timestamps are equal.
  const alike = RECORDS.map((record) => ({ ...record, timestamp: "2019-05-17T00:00:00Z" }));
  for (const index of [1, 2]) {
    service.records = alike.slice(0, 45);
    const at = service.requests.length + index;
    service.onSelect = (request) => {
      if (request.index === at) service.records = alike.slice(0, 105);
    };
    expect((await runCrawl(service.origin)).error).toMatch(REPLACED);
  }
});

test("a crawl cannot be resumed if the collection was replaced in between", async () => {
  const out = newFile();
  service.onRequest = ({ page }) => (page === 5 ? { status: 403 } : undefined);
  expect((await runCrawl(service.origin, { out })).error).toContain("returned 403");
  service.onRequest = () => undefined;
  service.records = OTHERS.slice(0, 100);
  const before = service.requests.length;
  expect((await runCrawl(service.origin, { out })).error).toMatch(REPLACED);
  expect(service.requests.length - before).toBe(3);
  const restarted = await runCrawl(service.origin, { out, restart: true });
  expect([restarted.error, restarted.lines]).toEqual([undefined, linesOf(OTHERS.slice(0, 100))]);
});

test("page 1 is checked again every thousand pages", async () => {
  const many = makeRecords(15 * 1_003);
  service.records = many;
  await runCrawl(service.origin, { concurrency: 4 });
  expect(service.requests.filter(({ page }) => page === 1)).toHaveLength(3);
});

test("a service that returns the same page for every number ends the crawl", async () => {
  service.changeEnvelope = ({ results: _, ...envelope }) => ({
    ...envelope,
    results: RECORDS.slice(85, 100).reverse(),
  });
  const { error, lines } = await runCrawl(service.origin);
  expect(error).toMatch(/page=2 has only records that are on newer pages\. The collection was replaced/);
  expect(lines).toHaveLength(15);
});
