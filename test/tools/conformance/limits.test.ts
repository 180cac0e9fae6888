import { expect, test, vi } from "vitest";
import { MAX_PAGES } from "../../../tools/conformance/check.ts";
import { parsePage } from "../../../tools/conformance/check-page.ts";
import {
  compareRecord,
  createComparison,
  MAX_CAMERAS,
  MAX_IDS,
} from "../../../tools/conformance/compare-records.ts";
import { createTable } from "../../../tools/conformance/rules.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { ADDRESS, checkService, count, envelope } from "./changed-service.ts";

test("of a page of 1,001 records, 1,000 are checked", async () => {
  const results = makeRecords(1_001).map(({ id }) => ({ id }));
  const service = envelope((fields) => ({ ...fields, results }));
  const report = await checkService(1_001, service);
  expect(report).toMatchObject({ pages: 1, records: 1_000, stopped: null });
  // The page was read six times.
  const broken = { rule: "Record 1", checked: 6_000, failed: 6_000 };
  expect(report.rules).toContainEqual(expect.objectContaining(broken));
  expect(report.failed).toEqual(["List records 1", "Record 1"]);
});

test("of envelopes and records, only the members of rules are kept, without what is nested in them", () => {
  const more = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`member${index}`, 1]));
  const nested = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
  const results = [{ cars: 0, ...more }];
  const text = JSON.stringify({ count: 1, next: null, previous: 0, results, ...more });
  const body = Buffer.from(text.replaceAll(/(?<="cars":|"previous":)0/g, nested));
  const parsed = parsePage(1, ADDRESS, { status: 200, headers: new Headers(), body });
  expect(Object.keys(parsed.envelope ?? {})).toEqual(["count", "next", "previous", "results"]);
  expect([parsed.envelope?.previous, parsed.results]).toEqual([[], [{ cars: [] }]]);
});

test("of a record, its id and at most 200 characters of its camera and its time are kept", () => {
  const comparison = createComparison();
  const long = { camera_ref: "a".repeat(199), timestamp: "a".repeat(1_000) };
  compareRecord(comparison, { id: 1, camera_pk: 1, camera_ref: "a".repeat(198), cars: 7 }, "");
  compareRecord(comparison, { id: "2".repeat(201), camera_pk: 2, ...long }, "");
  expect([...comparison.ids]).toEqual([1]);
  const cameras = [...comparison.cameras.values()];
  expect(cameras.map(({ ref }) => ref.length)).toEqual([200, 200]);
  expect(cameras.map(({ time }) => time.length)).toEqual(["missing".length, 200]);
});

test.each([
  { ids: MAX_IDS, cameras: MAX_CAMERAS, error: null },
  { ids: MAX_IDS + 1, cameras: MAX_CAMERAS, error: "more than 3000000 records" },
  { ids: MAX_IDS, cameras: MAX_CAMERAS + 1, error: "or 100000 cameras. Use --pages" },
])("a check with $ids ids and $cameras cameras stops with the error $error", ({ ids, cameras, error }) => {
  const comparison = createComparison();
  // Instead of filling them, which would take seconds.
  Object.defineProperty(comparison.ids, "size", { value: ids });
  Object.defineProperty(comparison.cameras, "size", { value: cameras });
  const compare = () => compareRecord(comparison, {}, "");
  if (error === null) compare();
  else expect(compare).toThrow(error);
});

test.each([
  [MAX_PAGES, MAX_PAGES],
  [MAX_PAGES + 3, MAX_PAGES + 2],
  [Number.MAX_SAFE_INTEGER / 16, MAX_PAGES + 2],
])("of %i pages, %i are read", async (pages, total) => {
  const onPage = vi.fn(() => {
    throw new Error("That is enough.");
  });
  const service = count(() => Math.floor(15 * pages));
  await checkService(15, service, { onPage });
  expect(onPage).toHaveBeenCalledExactlyOnceWith(1, total);
});

test("of the deviations from a rule, a table keeps three and counts the others", () => {
  const { results, at } = createTable();
  for (let page = 1; page <= 10; page++) at(`page ${page}`)("Options", false, "404");
  const deviations = ["page 1", "page 2", "page 3"].map((asked) => ({ asked }));
  expect(results.get("Options")).toMatchObject({ checked: 10, failed: 10, deviations });
});
