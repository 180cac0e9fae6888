import { afterEach, beforeEach, expect, test } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { copy, linesOf, newFile } from "./copy.ts";
import { type Service, startService } from "./service.ts";

const RECORDS = makeRecords(300);
/** As many other records, as another load of reports would number them. */
const OTHERS = makeRecords(300).map((record) => ({ ...record, cars: record.cars + 1 }));

let service: Service;
beforeEach(async () => {
  service = await startService(RECORDS.slice(0, 100));
});
afterEach(() => service.close());

const REPLACED =
  /the collection was replaced while it was copied .* The copy must begin anew, with --restart\.$/;

test.each([
  ["fewer records", RECORDS.slice(0, 80)],
  ["none", []],
  ["as many others", OTHERS.slice(0, 100)],
  ["more others", OTHERS.slice(0, 107)],
  ["more others by whole pages", OTHERS.slice(0, 130)],
  ["many more others", OTHERS],
  ["older ones before", [...OTHERS.slice(200), ...RECORDS.slice(0, 100)].slice(0, 100)],
])("a collection that is replaced by %s cannot be copied", async (_, records) => {
  for (const concurrency of [1, 5]) {
    service.records = RECORDS.slice(0, 100);
    const at = service.asked.length + 4;
    service.onAsk = ({ index }) => {
      if (index === at) service.records = records;
      return undefined;
    };
    const { error } = await copy(service.origin, { concurrency });
    expect(error).toMatch(REPLACED);
  }
});

test("a replacement by whole pages more is noticed at once, though no page overlaps", async () => {
  service.records = RECORDS.slice(0, 240);
  service.onAsk = ({ index }) => {
    if (index === 3) service.records = OTHERS;
    return undefined;
  };
  expect((await copy(service.origin)).error).toMatch(REPLACED);
  // Three pages, the fourth and the one read ahead, and three looks at the page before.
  expect(service.asked.length).toBeLessThanOrEqual(9);
});

test("what cannot be told from a replacement is never taken for the start", async () => {
  // Counted before growth and selected after it, so far off that no record is known and no time tells.
  const alike = RECORDS.map((record) => ({ ...record, timestamp: "2019-05-17T00:00:00Z" }));
  for (const index of [1, 2]) {
    service.records = alike.slice(0, 45);
    const at = service.asked.length + index;
    service.onSelect = (asked) => {
      if (asked.index === at) service.records = alike.slice(0, 105);
    };
    expect((await copy(service.origin)).error).toMatch(REPLACED);
  }
});

test("nor can one be gone on with that was replaced in between", async () => {
  const out = newFile();
  service.onAsk = ({ page }) => (page === 5 ? { status: 403 } : undefined);
  expect((await copy(service.origin, { out })).error).toContain("returned 403");
  service.onAsk = () => undefined;
  service.records = OTHERS.slice(0, 100);
  const before = service.asked.length;
  expect((await copy(service.origin, { out })).error).toMatch(REPLACED);
  expect(service.asked.length - before).toBe(3);
  const anew = await copy(service.origin, { out, restart: true });
  expect([anew.error, anew.lines]).toEqual([undefined, linesOf(OTHERS.slice(0, 100))]);
});

test("the first page is looked at again every thousand pages", async () => {
  const many = makeRecords(15 * 1_003);
  service.records = many;
  await copy(service.origin, { concurrency: 4 });
  expect(service.asked.filter(({ page }) => page === 1)).toHaveLength(3);
});

test("a service that gives the same page under every number is no collection", async () => {
  service.alter = ({ results: _, ...envelope }) => ({
    ...envelope,
    results: RECORDS.slice(85, 100).reverse(),
  });
  const { error, lines } = await copy(service.origin);
  expect(error).toMatch(/page=2 has only records that are on newer pages: the collection was replaced/);
  expect(lines).toHaveLength(15);
});
