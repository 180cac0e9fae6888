import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { examineQuickly, rulesOf } from "./examination.ts";
import { type Asked, makeCollection, type Service, startService } from "./service.ts";

/** The newest 60 of these come while the service is walked. */
const ALL = makeCollection(200);
const RECORDS = makeCollection(40);

let service: Service;
beforeEach(async () => {
  service = await startService(RECORDS);
});
afterEach(() => service.close());

/** Newest first: all but the newest so many. */
const stateOf = (missing: number) => ALL.slice(Math.max(0, missing));

describe("a collection that grows during the walk", () => {
  const grow = (by: (asked: Asked) => number, coming = 60) => {
    let missing = coming;
    service.records = stateOf(missing);
    service.reply = (reply, asked) => {
      if (asked.method !== "GET") return reply;
      missing = Math.max(0, missing - by(asked));
      service.records = stateOf(missing);
      return reply;
    };
  };

  test.each<[string, (asked: Asked) => number, number]>([
    ["by a record a page", () => 1, 1],
    ["by a record a page, read by many requests at a time", () => 1, 8],
    ["by seven records a page", () => 7, 1],
    ["by a page a page", () => 15, 1],
    ["by more than two pages at once", ({ page }) => (page === "3" ? 40 : 0), 1],
    [
      "by more than two pages at once, read by many requests at a time",
      ({ page }) => (page === "3" ? 40 : 0),
      8,
    ],
    ["on its last page", ({ page }) => (page === "9" ? 30 : 0), 1],
  ])("%s breaks nothing", async (_, by, concurrency) => {
    grow(by);
    const examination = await examineQuickly(service.origin, { concurrency });
    expect(examination.rules.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    expect(examination.growths).toBeGreaterThan(0);
    expect(examination.records).toBeGreaterThanOrEqual(140);
    expect(examination.stopped).toBeUndefined();
  });

  test.each([1, 8])("to many times its size breaks nothing, %i at a time", async (concurrency) => {
    grow(({ page }) => (page === "1" ? 150 : 0), 150);
    const examination = await examineQuickly(service.origin, { concurrency });
    expect(examination.rules.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    expect(examination).toMatchObject({ growths: 1, records: 50, count: 200, doubtful: false });
  });

  test("between its count and its selection breaks nothing", async () => {
    service.records = stateOf(1);
    service.envelope = (envelope, number, { index }) => {
      if (number !== 3 || index > 2) return envelope;
      service.records = ALL;
      return { ...envelope, results: ALL.slice(30, 45) };
    };
    const examination = await examineQuickly(service.origin);
    expect(rulesOf(examination, "fail")).toEqual([]);
    expect(examination).toMatchObject({ growths: 1, records: 199 });
  });

  test("with ids too large to be held exactly, breaks nothing", async () => {
    grow(() => 7);
    const { reply } = service;
    service.reply = async (...args) => {
      const answer = await reply(...args);
      return { ...answer, body: String(answer.body).replace(/"id":(\d+)/g, '"id":900719925474099$1') };
    };
    const examination = await examineQuickly(service.origin);
    expect(rulesOf(examination, "fail")).toEqual([]);
    expect(examination.growths).toBeGreaterThan(0);
  });

  test("and from one page to two, while it is asked without page number, breaks nothing", async () => {
    service.records = ALL.slice(-15);
    service.reply = (reply, { page }) => {
      if (page === null) service.records = ALL.slice(-16);
      return reply;
    };
    const examination = await examineQuickly(service.origin);
    expect(rulesOf(examination, "fail")).toEqual([]);
    expect(rulesOf(examination, "pass")).toContain("List records.page default");
  });

  test("and whose pages do not shift breaks List records 5", async () => {
    service.envelope = (envelope, number) => ({ ...envelope, count: 40 + number * 2 });
    expect(rulesOf(await examineQuickly(service.origin), "fail")).toEqual(["List records 5"]);
  });
});
