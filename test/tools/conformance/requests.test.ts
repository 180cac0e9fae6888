import { describe, expect, test } from "vitest";
import { createInstantClock } from "../http-client/instant-clock.ts";
import { makeCollection, PATH, service, setUpService, startService } from "./fake-service.ts";
import { checkQuickly, evidenceOf, rulesOf } from "./quick-check.ts";

/** A collection with more pages than `--pages` reads. */
const ALL = makeCollection(200);
const RECORDS = makeCollection(40);

setUpService(RECORDS);

describe("--pages", () => {
  test.each([1, 8])(
    "reads the first pages, the middle page and the last page, concurrency %i",
    async (concurrency) => {
      service.records = ALL;
      const report = await checkQuickly(service.origin, { pages: 2, concurrency });
      expect(rulesOf(report, "fail")).toEqual([]);
      const pages = service.requests.map(({ page }) => page).slice(0, 5);
      expect(pages).toEqual(["1", "2", "7", "14", "0"]);
      expect(report).toMatchObject({ pages: 4, records: 50, stopped: undefined });
    },
  );

  test("can be equal to the number of pages, or larger", async () => {
    for (const pages of [3, 4]) {
      const report = await checkQuickly(service.origin, { pages });
      expect(rulesOf(report, "fail")).toEqual([]);
      expect(report).toMatchObject({ pages: 3, records: 40 });
    }
  });

  test("reports each unreadable page only once", async () => {
    service.records = ALL;
    service.reply = (reply, { page }) => (["7", "14"].includes(page ?? "") ? { ...reply, body: "{" } : reply);
    const report = await checkQuickly(service.origin, { pages: 2 });
    expect(report.rules.filter(({ verdict }) => verdict === "fail")).toEqual([
      expect.objectContaining({ rule: "List records.body", kept: 3, broken: 2 }),
    ]);
  });

  test("detects a count that is too large at the last page", async () => {
    service.envelope = (envelope) => ({ ...envelope, count: 41 });
    expect(rulesOf(await checkQuickly(service.origin, { pages: 1 }), "fail")).toEqual([
      "Page envelope.count",
    ]);
  });

  test("detects the wrong order of pages that are far apart", async () => {
    service.records = ALL.with(199, { ...ALL[199]!, timestamp: "2026-01-01T00:00:00Z", camera_ok: "True" });
    const failed = rulesOf(await checkQuickly(service.origin, { pages: 1 }), "fail");
    expect(failed).toContain("List records 2");
  });
});

test("--read-only sends no request that would write", async () => {
  const report = await checkQuickly(service.origin, { readOnly: true });
  const methods = new Set(service.requests.map(({ method }) => method));
  expect(methods).toEqual(new Set(["GET", "HEAD", "OPTIONS"]));
  expect(rulesOf(report, "not seen")).toEqual(["Record 5"]);
});

test.each([500, 505])(
  "if a method returns %i, the report leaves open whether the method writes",
  async (status) => {
    service.reply = (reply, { method }) => (method === "PATCH" ? { ...reply, status } : reply);
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(rulesOf(report, "not seen")).toEqual(["Record 5"]);
    expect(evidenceOf(report, "Record 5")).toEqual([`${service.origin}${PATH} PATCH: returned ${status}`]);
  },
);

test.each([400, 401, 403, 404, 405, 501])("a method that returns %i counts as refused", async (status) => {
  service.reply = (reply, { method }) => (["GET", "OPTIONS"].includes(method) ? reply : { ...reply, status });
  const report = await checkQuickly(service.origin);
  expect(rulesOf(report, "fail")).toEqual([]);
  expect(rulesOf(report, "pass")).toContain("Record 5");
});

test("each method that would write is tested with JSON and with a form", async () => {
  await checkQuickly(service.origin);
  const methods = service.requests
    .map(({ method }) => method)
    .filter((method) => !["GET", "HEAD"].includes(method));
  const writes = ["POST", "PUT", "PATCH", "DELETE"].flatMap((method) => [method, method]);
  expect(methods).toEqual(["OPTIONS", ...writes, "OPTIONS"]);
});

test("a redirect to another port of the host is followed, and links must have the new origin", async () => {
  const front = await startService();
  front.reply = (reply, { target }) => ({
    ...reply,
    status: 301,
    headers: { Location: service.origin + target },
  });
  const report = await checkQuickly(front.origin);
  await front.close();
  expect(rulesOf(report, "fail")).toEqual([]);
  expect(report.url).toBe(service.origin + PATH);
  expect(front.requests).toHaveLength(1);
});

describe("retries:", () => {
  test("after 429, the check waits as long as Retry-After says", async () => {
    let throttled = 0;
    service.reply = (reply, { index }) => {
      if (index % 3 !== 1) return reply;
      throttled += 1;
      return { ...reply, status: 429, headers: { "Retry-After": index === 1 ? "1" : "0" } };
    };
    const { clock, waits } = createInstantClock();
    const report = await checkQuickly(service.origin, { clock });
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(Math.max(...waits)).toBe(1_000);
    expect(report.retries).toBe(throttled);
    expect(evidenceOf(report, "Limits.others")).toEqual([`429 was returned ${throttled} times`]);
  });

  test("an error that disappears on retry breaks no rule, but is reported", async () => {
    service.reply = (reply, { index, method }) =>
      index % 2 === 1 && method === "GET" ? { ...reply, status: index === 1 ? 502 : 500 } : reply;
    const report = await checkQuickly(service.origin);
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(evidenceOf(report, "Errors")[0]).toBe(
      "page requests returned 502 (1 time), 500 (1 time) and were retried",
    );
  });

  test("the check waits for --delay between requests", async () => {
    const { clock, waits } = createInstantClock();
    const startedAt: number[] = [];
    service.reply = (reply) => {
      startedAt.push(clock.now());
      return reply;
    };
    await checkQuickly(service.origin, { delay: 60_000, clock });
    expect(startedAt.length).toBeGreaterThan(3);
    expect(waits).toHaveLength(startedAt.length - 1);
    for (const [index, at] of startedAt.entries())
      expect(at - startedAt[0]!).toBeGreaterThanOrEqual(60_000 * index);
  });

  test.each([1, 8])(
    "a page that keeps failing breaks the status rule, and other pages are checked, concurrency %i",
    async (concurrency) => {
      service.reply = (reply, { page }) => (page === "2" ? { ...reply, status: 503, body: "{}" } : reply);
      const report = await checkQuickly(service.origin, { concurrency });
      expect(rulesOf(report, "fail")).toEqual(["List records.status"]);
      expect(evidenceOf(report, "List records.status")).toEqual([
        `${service.origin}${PATH}?format=api&page=2: returned 503; gave up after 4 attempts`,
      ]);
      expect(report).toMatchObject({ records: 25, stopped: undefined });
      expect(rulesOf(report, "pass")).toEqual(
        expect.arrayContaining(["Options.method", "Page envelope.next"]),
      );
    },
  );
});
