import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeRecords } from "../../../records/sample.ts";
import { createInstantClock } from "../../http-client/instant-clock.ts";
import { type FakeService, type Fault, type PageRequest, startFakeService } from "./fake-service.ts";
import { FAST_RETRIES, linesOf, runCrawl } from "./run-crawl.ts";

const RECORDS = makeRecords(100);

let service: FakeService;
beforeEach(async () => {
  service = await startFakeService(RECORDS);
});
afterEach(() => service.close());

/** The policy for a fault: only a response that never comes is worth a short timeout. */
const retryPolicyFor = (fault: Fault) => ({
  ...FAST_RETRIES,
  timeout: fault === "stall" ? 50 : FAST_RETRIES.timeout,
});

const once =
  (page: number, fault: Fault, times = 1) =>
  (request: PageRequest) =>
    request.page === page && request.attempt <= times ? fault : undefined;

describe("transient failures make no difference to the output:", () => {
  test.each<[string, Fault]>([
    ["500", { status: 500 }],
    ["502 with the page of a proxy", { status: 502, body: "<html>Bad Gateway</html>" }],
    ["503 with Retry-After", { status: 503, headers: { "Retry-After": "0" } }],
    ["429", { status: 429 }],
    ["408", { status: 408 }],
    ["404 for a page that exists", { status: 404 }],
    ["no response", "stall"],
    ["half of the response", "cut"],
    ["an empty body", { body: "" }],
    ["HTML", { body: "<!doctype html><title>Records</title>" }],
    ["half of the JSON", { body: '{"count":100,"results":[{"id":1' }],
    ["JSON that is not an object", { body: "[]" }],
    ["an envelope without results", { body: '{"count":100}' }],
    ["an invalid count", { body: '{"count":"many","results":[]}' }],
    ["an older state", { body: '{"count":100,"results":[]}' }],
    ["a smaller count", { body: '{"count":85,"results":[]}' }],
  ])("%s", async (_, fault) => {
    service.onRequest = once(4, fault, 2);
    const retryPolicy = retryPolicyFor(fault);
    const { lines, error } = await runCrawl(service.origin, { concurrency: 2 }, { retryPolicy });
    expect(error).toBeUndefined();
    expect(lines).toEqual(linesOf(RECORDS));
  });

  test("several failures on every page, at high concurrency", async () => {
    const all: Fault[] = [{ status: 500 }, "cut", { status: 429 }, { body: "?" }, { status: 503 }];
    service.onRequest = ({ index, attempt }) => (attempt <= 5 ? all[index % all.length] : undefined);
    const { lines, printed } = await runCrawl(service.origin, { concurrency: 16 });
    expect(lines).toEqual(linesOf(RECORDS));
    expect(printed.join()).toMatch(/ Pages read: 8\. Retries: 35\.$/);
  });
});

describe("waits", () => {
  test("double from the first to the longest, reduced by up to a half", async () => {
    service.onRequest = once(3, { status: 500 }, 7);
    const { clock, waits } = createInstantClock();
    await runCrawl(
      service.origin,
      {},
      { clock, retryPolicy: { ...FAST_RETRIES, backoff: 1_000, maxBackoff: 30_000 } },
    );
    expect(waits).toHaveLength(7);
    for (const [index, most] of [1, 2, 4, 8, 16, 30, 30].entries()) {
      expect(waits[index]).toBeLessThanOrEqual(most * 1_000);
      expect(waits[index]).toBeGreaterThanOrEqual(most * 500);
    }
  });

  test("are as long as Retry-After requires", async () => {
    service.onRequest = once(3, { status: 503, headers: { "Retry-After": "120" } });
    const { clock, waits } = createInstantClock();
    const { warned } = await runCrawl(service.origin, {}, { clock });
    expect(Math.max(...waits)).toBe(120_000);
    expect(warned).toEqual([expect.stringMatching(/page=3 returned 503\. Attempt 2 starts in 120 s\.$/)]);
  });

  test("are skipped if Retry-After is 0", async () => {
    service.onRequest = once(3, { status: 429, headers: { "Retry-After": "0" } }, 6);
    const { clock, waits } = createInstantClock();
    const { error } = await runCrawl(
      service.origin,
      {},
      { clock, retryPolicy: { ...FAST_RETRIES, backoff: 1_000 } },
    );
    expect([error, Math.max(...waits)]).toEqual([undefined, 0]);
  });

  test("end at the date in Retry-After", async () => {
    const at = new Date(Date.now() + 90_000).toUTCString();
    service.onRequest = once(3, { status: 429, headers: { "Retry-After": at } });
    const { clock, waits } = createInstantClock();
    await runCrawl(service.origin, {}, { clock });
    expect(Math.max(...waits)).toBeGreaterThan(85_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(90_000);
  });

  test("that Retry-After requires delay all other requests", async () => {
    const { clock } = createInstantClock();
    const startedAt = clock.now();
    const times: number[] = [];
    service.onRequest = async ({ page, attempt }) => {
      times.push(clock.now() - startedAt);
      if (page !== 2 || attempt > 1) return undefined;
      // Page 2 is refused once pages 3 to 5 have been requested as well.
      while (service.requests.length < 5) await setTimeout(1);
      return { status: 429, headers: { "Retry-After": "600" } };
    };
    // Pages 3 to 5 are sent after the refusal, so the next requests would otherwise be sent during the wait.
    service.onResponse = ({ page }) => (page > 2 && page <= 5 ? setTimeout(60) : undefined);
    const { lines } = await runCrawl(service.origin, { concurrency: 4 }, { clock });
    expect(lines).toEqual(linesOf(RECORDS));
    expect(times.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(new Set(times.slice(5))).toEqual(new Set([600_000]));
  });
});

describe("permanent failures end with an error that explains how to resume:", () => {
  test.each<[string, Fault, RegExp]>([
    ["500", { status: 500 }, /page=3 returned 500; gave up after 8 attempts\n/],
    ["no response", "stall", /page=3 did not respond within 0.05 s; gave up after 8 attempts\n/],
    ["half of the response", "cut", /page=3 could not be read \(.+\); gave up after 8 attempts\n/],
    [
      "HTML",
      { body: "<p>" },
      /page=3 returned a body that is not a JSON object \(no Content-Type\): "<p>"; gave up after 8 attempts\n/,
    ],
    ["403", { status: 403 }, /page=3 returned 403\n/],
    ["404", { status: 404 }, /page=3 returned 404\n/],
    [
      "a wait of a day",
      { status: 503, headers: { "Retry-After": "86400" } },
      /returned 503 and asked to wait 86400 s, longer than the limit of 3600 s\n/,
    ],
    [
      "a redirect to another host",
      { status: 302, headers: { Location: "http://localhost/" } },
      /page=3 returned 302: the redirect leads to another host, http:\/\/localhost\/\n/,
    ],
    [
      "a redirect to itself",
      { status: 301, headers: { Location: "?page=3" } },
      /page=3 returned 302: too many redirects\n/,
    ],
    ["no count", { body: '{"results":[]}' }, /returned an invalid envelope: count is missing; gave up after/],
  ])("%s", async (_, fault, message) => {
    service.onRequest = once(3, fault, 1_000);
    const { error, out, lines } = await runCrawl(service.origin, {}, { retryPolicy: retryPolicyFor(fault) });
    expect(error).toMatch(message);
    expect(error).toContain(`${out} contains 30 of 100 records. Run the same command again to resume.`);
    expect(lines).toEqual(linesOf(RECORDS).slice(0, 30));
    service.onRequest = () => undefined;
    expect(await runCrawl(service.origin, { out })).toMatchObject({
      lines: linesOf(RECORDS),
      error: undefined,
    });
  });

  test.each<[string, string, string]>([
    [
      "a count that is a string",
      '{"count":"100","results":[]}',
      'count "100" is not a whole number, 0 or greater',
    ],
    ["no results", '{"count":100}', "results is missing"],
  ])("%s, without a retry if no page could be read before", async (_, body, message) => {
    service.onRequest = () => ({ body });
    const { error, out } = await runCrawl(service.origin);
    expect(error).toBe(
      `${service.origin}/api/tf1/records/?format=api&page=1 returned an invalid envelope: ${message}`,
    );
    expect(service.requests).toHaveLength(1);
    expect(existsSync(`${out}.progress`)).toBe(false);
  });

  test("no server", async () => {
    const closed = await startFakeService([]);
    await closed.close();
    const { error, printed } = await runCrawl(closed.origin);
    expect(error).toMatch(/page=1 could not be read \(connect ECONNREFUSED .*\); gave up after 8 attempts$/);
    expect(printed).toEqual([]);
  });
});
