import { describe, expect, test } from "vitest";
import { makeCollection, type ReceivedRequest, service, setUpService } from "./fake-service.ts";
import { checkQuickly, rulesOf } from "./quick-check.ts";

/** The newest 60 of these are added during the walk. */
const ALL = makeCollection(200);
const RECORDS = makeCollection(40);

setUpService(RECORDS);

/** Returns all records except the newest ones, which are not added yet. */
const stateOf = (missing: number) => ALL.slice(Math.max(0, missing));

describe("a collection that grows during the walk", () => {
  const grow = (by: (request: ReceivedRequest) => number, added = 60) => {
    let missing = added;
    service.records = stateOf(missing);
    service.reply = (reply, request) => {
      if (request.method !== "GET") return reply;
      missing = Math.max(0, missing - by(request));
      service.records = stateOf(missing);
      return reply;
    };
  };

  test.each<[string, (request: ReceivedRequest) => number, number]>([
    ["by one record with each request", () => 1, 1],
    ["by one record with each request, with concurrent requests", () => 1, 8],
    ["by seven records with each request", () => 7, 1],
    ["by a full page with each request", () => 15, 1],
    ["by more than two pages at once", ({ page }) => (page === "3" ? 40 : 0), 1],
    ["by more than two pages at once, with concurrent requests", ({ page }) => (page === "3" ? 40 : 0), 8],
    ["when its last page is read", ({ page }) => (page === "9" ? 30 : 0), 1],
  ])("%s breaks no rule", async (_, by, concurrency) => {
    grow(by);
    const report = await checkQuickly(service.origin, { concurrency });
    expect(report.rules.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    expect(report.growths).toBeGreaterThan(0);
    expect(report.records).toBeGreaterThanOrEqual(140);
    expect(report.stopped).toBeUndefined();
  });

  test.each([1, 8])("to many times its size breaks no rule, concurrency %i", async (concurrency) => {
    grow(({ page }) => (page === "1" ? 150 : 0), 150);
    const report = await checkQuickly(service.origin, { concurrency });
    expect(report.rules.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    expect(report).toMatchObject({ growths: 1, records: 50, count: 200, isInconsistent: false });
  });

  test("between the read of its count and the read of its records breaks no rule", async () => {
    service.records = stateOf(1);
    service.envelope = (envelope, number, { index }) => {
      if (number !== 3 || index > 2) return envelope;
      service.records = ALL;
      return { ...envelope, results: ALL.slice(30, 45) };
    };
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(report).toMatchObject({ growths: 1, records: 199 });
  });

  test("with ids too large for JavaScript breaks no rule", async () => {
    grow(() => 7);
    const { reply } = service;
    service.reply = async (...args) => {
      const changed = await reply(...args);
      return { ...changed, body: String(changed.body).replace(/"id":(\d+)/g, '"id":900719925474099$1') };
    };
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(report.growths).toBeGreaterThan(0);
  });

  test("from one page to two during the request without a page number breaks no rule", async () => {
    service.records = ALL.slice(-15);
    service.reply = (reply, { page }) => {
      if (page === null) service.records = ALL.slice(-16);
      return reply;
    };
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(rulesOf(report, "pass")).toContain("List records.page default");
  });

  test("but whose pages do not shift breaks List records 5", async () => {
    service.envelope = (envelope, number) => ({ ...envelope, count: 40 + number * 2 });
    expect(rulesOf(await checkQuickly(service.origin), "fail")).toEqual(["List records 5"]);
  });
});

describe("the check ends", () => {
  test("if the collection grows by a page with each request", async () => {
    let added = 0;
    service.reply = (reply, { method }) => {
      if (method !== "GET") return reply;
      const records = makeCollection(15).map((record) => ({
        ...record,
        id: 100_000 + 100 * added + record.id,
        timestamp: new Date(Date.UTC(2026, 0, 1) + 1_000 * added).toISOString().replace(".000", ""),
        camera_pk: record.id,
        camera_ref: `a${record.id}`,
        camera_ok: "True",
      }));
      added += 1;
      service.records = [...records, ...service.records];
      return reply;
    };
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(report.pages).toBeLessThan(30);
    expect(report.stopped).toMatch(/20 pages in a row have no new record/);
  });

  test("if count is a billion and rises with each request, but the pages are repeated", async () => {
    service.reply = (reply, { method, page, index }) => {
      if (method !== "GET" || Number(page ?? 1) < 1) return reply;
      const envelope = { count: 10 ** 9 + index, next: null, previous: null, results: RECORDS.slice(0, 15) };
      return { ...reply, status: 200, body: JSON.stringify(envelope) };
    };
    const report = await checkQuickly(service.origin);
    expect(report.pages).toBeLessThan(30);
    expect(rulesOf(report, "fail").length).toBeGreaterThan(0);
  });
});
