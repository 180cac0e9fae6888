import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { evidenceOf, examineQuickly, rulesOf } from "./examination.ts";
import { makeCollection, PATH, type Service, startService } from "./service.ts";

/** More than are walked with --pages. */
const ALL = makeCollection(200);
const RECORDS = makeCollection(40);

let service: Service;
beforeEach(async () => {
  service = await startService(RECORDS);
});
afterEach(() => service.close());

describe("--pages", () => {
  test.each([1, 8])(
    "walks the first ones, the middle and the last one, %i at a time",
    async (concurrency) => {
      service.records = ALL;
      const examination = await examineQuickly(service.origin, { pages: 2, concurrency });
      expect(rulesOf(examination, "fail")).toEqual([]);
      const pages = service.asked.map(({ page }) => page).slice(0, 5);
      expect(pages).toEqual(["1", "2", "7", "14", "1"]);
      expect(examination).toMatchObject({ pages: 4, records: 50, stopped: undefined });
    },
  );

  test("may be as many as there are, or more", async () => {
    for (const pages of [3, 4]) {
      const examination = await examineQuickly(service.origin, { pages });
      expect(rulesOf(examination, "fail")).toEqual([]);
      expect(examination).toMatchObject({ pages: 3, records: 40 });
    }
  });

  test("tells pages that cannot be read, each once", async () => {
    service.records = ALL;
    service.reply = (reply, { page }) => (["7", "14"].includes(page ?? "") ? { ...reply, body: "{" } : reply);
    const examination = await examineQuickly(service.origin, { pages: 2 });
    expect(examination.rules.filter(({ verdict }) => verdict === "fail")).toEqual([
      expect.objectContaining({ rule: "List records.body", kept: 3, broken: 2 }),
    ]);
  });

  test("sees a count that is too large at the last page", async () => {
    service.envelope = (envelope) => ({ ...envelope, count: 41 });
    expect(rulesOf(await examineQuickly(service.origin, { pages: 1 }), "fail")).toEqual([
      "Page envelope.count",
    ]);
  });

  test("sees the wrong order of pages far from each other", async () => {
    service.records = ALL.with(199, { ...ALL[199]!, timestamp: "2026-01-01T00:00:00Z", camera_ok: "True" });
    const failed = rulesOf(await examineQuickly(service.origin, { pages: 1 }), "fail");
    expect(failed).toContain("List records 2");
  });
});

test("--read-only sends nothing that would write", async () => {
  const examination = await examineQuickly(service.origin, { readOnly: true });
  expect(new Set(service.asked.map(({ method }) => method))).toEqual(new Set(["GET", "OPTIONS"]));
  expect(rulesOf(examination, "not seen")).toEqual(["Record 5"]);
});

test.each([500, 505])("that a method is answered %i leaves open whether it writes", async (status) => {
  service.reply = (reply, { method }) => (method === "PATCH" ? { ...reply, status } : reply);
  const examination = await examineQuickly(service.origin);
  expect(rulesOf(examination, "fail")).toEqual([]);
  expect(rulesOf(examination, "not seen")).toEqual(["Record 5"]);
  expect(evidenceOf(examination, "Record 5")).toEqual([
    `${service.origin}${PATH} PATCH: is answered ${status}`,
  ]);
});

test.each([400, 401, 403, 404, 405, 501])("a method that is answered %i is refused", async (status) => {
  service.reply = (reply, { method }) => (["GET", "OPTIONS"].includes(method) ? reply : { ...reply, status });
  const examination = await examineQuickly(service.origin);
  expect(rulesOf(examination, "fail")).toEqual([]);
  expect(rulesOf(examination, "pass")).toContain("Record 5");
});

test("what would write is an empty object of JSON", async () => {
  await examineQuickly(service.origin);
  const methods = service.asked.map(({ method }) => method).filter((method) => method !== "GET");
  expect(methods).toEqual(["OPTIONS", "POST", "PUT", "PATCH", "DELETE"]);
});

test("a redirect to another origin of the host is followed, and links are expected there", async () => {
  const front = await startService();
  front.reply = (reply, { target }) => ({
    ...reply,
    status: 301,
    headers: { Location: service.origin + target },
  });
  const examination = await examineQuickly(front.origin);
  await front.close();
  expect(rulesOf(examination, "fail")).toEqual([]);
  expect(examination.url).toBe(service.origin + PATH);
  expect(front.asked).toHaveLength(1);
});

describe("patience:", () => {
  test("a service that throttles is waited for, as long as it says", async () => {
    let throttled = 0;
    service.reply = (reply, { index }) => {
      if (index % 3 !== 1) return reply;
      throttled += 1;
      return { ...reply, status: 429, headers: { "Retry-After": index === 1 ? "1" : "0" } };
    };
    const begun = performance.now();
    const examination = await examineQuickly(service.origin);
    expect(rulesOf(examination, "fail")).toEqual([]);
    expect(performance.now() - begun).toBeGreaterThan(950);
    expect(examination.retries).toBe(throttled);
    expect(evidenceOf(examination, "Limits.others")).toEqual([`429 was answered ${throttled} times`]);
  });

  test("what passes is no fault, but told", async () => {
    service.reply = (reply, { index, method }) =>
      index % 2 === 1 && method === "GET" ? { ...reply, status: index === 1 ? 502 : 500 } : reply;
    const examination = await examineQuickly(service.origin);
    expect(rulesOf(examination, "fail")).toEqual([]);
    expect(evidenceOf(examination, "Errors")[0]).toBe("pages: 502 once, 500 once, and asked for again");
  });

  test("--delay is kept between requests", async () => {
    await examineQuickly(service.origin, { delay: 20 });
    const [first, last] = [service.asked[0]!, service.asked.at(-1)!];
    expect(last.at - first.at).toBeGreaterThan(20 * (service.asked.length - 1) - 20);
  });

  test.each([1, 8])(
    "a page that stays away ends the walk, and what was seen is judged, %i at a time",
    async (concurrency) => {
      service.reply = (reply, { page }) => (page === "2" ? { ...reply, status: 503 } : reply);
      const examination = await examineQuickly(service.origin, { concurrency });
      expect(rulesOf(examination, "fail")).toEqual([]);
      expect(examination.stopped).toMatch(
        /^The examination ended early: \S+page=2 returned 503; gave up after 4 attempts$/,
      );
      expect(examination.records).toBe(15);
      expect(rulesOf(examination, "pass")).toEqual(
        expect.arrayContaining(["Record.id", "Page envelope.next"]),
      );
    },
  );
});
