import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { copy, linesOf, QUICK } from "./copy.ts";
import { type Asked, type Misbehaviour, type Service, startService } from "./service.ts";

const RECORDS = makeRecords(100);

let service: Service;
beforeEach(async () => {
  service = await startService(RECORDS);
});
afterEach(() => service.close());

/** Waits in no time at all, and says for how long. */
function skipWaits() {
  const waits: number[] = [];
  let ahead = 0;
  const clock = {
    now: () => Date.now() + ahead,
    async wait(milliseconds: number) {
      waits.push(milliseconds);
      ahead += milliseconds;
    },
  };
  return { clock, waits };
}

const once =
  (page: number, misbehaviour: Misbehaviour, times = 1) =>
  (asked: Asked) =>
    asked.page === page && asked.attempt <= times ? misbehaviour : undefined;

describe("what passes makes no difference to the copy:", () => {
  test.each<[string, Misbehaviour]>([
    ["500", { status: 500 }],
    ["502 with a page of a proxy", { status: 502, body: "<html>Bad Gateway</html>" }],
    ["503 with Retry-After", { status: 503, headers: { "Retry-After": "0" } }],
    ["429", { status: 429 }],
    ["408", { status: 408 }],
    ["404 of a page that exists", { status: 404 }],
    ["no answer", "stall"],
    ["half an answer", "cut"],
    ["an empty answer", { body: "" }],
    ["HTML", { body: "<!doctype html><title>Records</title>" }],
    ["half of the JSON", { body: '{"count":100,"results":[{"id":1' }],
    ["JSON of something else", { body: "[]" }],
    ["an envelope without results", { body: '{"count":100}' }],
    ["a count that is none", { body: '{"count":"many","results":[]}' }],
    ["an older state", { body: '{"count":100,"results":[]}' }],
    ["a smaller count", { body: '{"count":85,"results":[]}' }],
  ])("%s", async (_, misbehaviour) => {
    service.onAsk = once(4, misbehaviour, 2);
    const { lines, error } = await copy(service.origin, { concurrency: 2 });
    expect(error).toBeUndefined();
    expect(lines).toEqual(linesOf(RECORDS));
  });

  test("any of them, on every page, with any concurrency", async () => {
    const all: Misbehaviour[] = [{ status: 500 }, "cut", { status: 429 }, { body: "?" }, { status: 503 }];
    service.onAsk = ({ index, attempt }) => (attempt <= 5 ? all[index % all.length] : undefined);
    const { lines, printed } = await copy(service.origin, { concurrency: 16 });
    expect(lines).toEqual(linesOf(RECORDS));
    expect(printed.join()).toMatch(/: 8 pages read, 35 retries\.$/);
  });
});

describe("the waits", () => {
  test("double from one second to one minute, less up to a half", async () => {
    service.onAsk = once(3, { status: 500 }, 7);
    const { clock, waits } = skipWaits();
    await copy(service.origin, {}, { clock, patience: { ...QUICK, backoff: 1_000, longestBackoff: 30_000 } });
    expect(waits).toHaveLength(7);
    for (const [index, most] of [1, 2, 4, 8, 16, 30, 30].entries()) {
      expect(waits[index]).toBeLessThanOrEqual(most * 1_000);
      expect(waits[index]).toBeGreaterThanOrEqual(most * 500);
    }
  });

  test("are as long as the server says, for all requests", async () => {
    service.onAsk = once(3, { status: 503, headers: { "Retry-After": "120" } });
    const { clock, waits } = skipWaits();
    const { warned } = await copy(service.origin, {}, { clock });
    expect(Math.max(...waits)).toBe(120_000);
    expect(warned).toEqual([expect.stringMatching(/page=3 answered 503; attempt 2 follows in 120 s\.$/)]);
  });

  test("are none if the server says so", async () => {
    service.onAsk = once(3, { status: 429, headers: { "Retry-After": "0" } }, 6);
    const { clock, waits } = skipWaits();
    const { error } = await copy(service.origin, {}, { clock, patience: { ...QUICK, backoff: 1_000 } });
    expect([error, Math.max(...waits)]).toEqual([undefined, 0]);
  });

  test("reach to the date that the server says", async () => {
    const at = new Date(Date.now() + 90_000).toUTCString();
    service.onAsk = once(3, { status: 429, headers: { "Retry-After": at } });
    const { clock, waits } = skipWaits();
    await copy(service.origin, {}, { clock });
    expect(Math.max(...waits)).toBeGreaterThan(85_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(90_000);
  });

  test("hold back what else would be asked for", async () => {
    service.onAsk = once(2, { status: 429, headers: { "Retry-After": "1" } });
    service.onSend = () => setTimeout(60);
    await copy(service.origin, { concurrency: 4 });
    const [first, second] = service.asked.filter(({ page }) => page === 2);
    expect(second!.at - first!.at).toBeGreaterThan(950);
    const meanwhile = service.asked.filter(({ at }) => at > first!.at + 50 && at < first!.at + 950);
    expect(meanwhile).toEqual([]);
  });
});

describe("what does not pass ends with an error that says how to go on:", () => {
  test.each<[string, Misbehaviour, RegExp]>([
    ["500", { status: 500 }, /page=3 answered 500, after 8 attempts\n/],
    ["no answer", "stall", /page=3 did not answer within 0.05 s, after 8 attempts\n/],
    ["half an answer", "cut", /page=3 could not be read \(.+\), after 8 attempts\n/],
    [
      "HTML",
      { body: "<p>" },
      /page=3 answered something that is not a JSON object: "<p>", after 8 attempts\n/,
    ],
    ["403", { status: 403 }, /page=3 answered 403\n/],
    ["404", { status: 404 }, /page=3 answered 404\n/],
    [
      "a wait of a day",
      { status: 503, headers: { "Retry-After": "86400" } },
      /503 and wants to be left alone for 86400 s\n/,
    ],
    [
      "a redirect to another host",
      { status: 302, headers: { Location: "http://localhost/" } },
      /page=3 answered 302 and leads to another host, http:\/\/localhost\/\n/,
    ],
    ["a redirect to itself", { status: 301, headers: { Location: "?page=3" } }, /it leads in circles\n/],
    ["no count", { body: '{"results":[]}' }, /unusable envelope: count is missing, after/],
  ])("%s", async (_, misbehaviour, message) => {
    service.onAsk = once(3, misbehaviour, 1_000);
    const { error, out, lines } = await copy(service.origin, {}, { patience: { ...QUICK, timeout: 50 } });
    expect(error).toMatch(message);
    expect(error).toContain(`${out} holds 30 of 100 records. The same command goes on from there.`);
    expect(lines).toEqual(linesOf(RECORDS).slice(0, 30));
    service.onAsk = () => undefined;
    expect(await copy(service.origin, { out })).toMatchObject({ lines: linesOf(RECORDS), error: undefined });
  });

  test.each<[string, string, string]>([
    [
      "a count that is a text",
      '{"count":"100","results":[]}',
      'count "100" is not a whole number, 0 or greater',
    ],
    ["no results", '{"count":100}', "results is missing"],
  ])("%s, at once if no page was any better", async (_, body, message) => {
    service.onAsk = () => ({ body });
    const { error, out } = await copy(service.origin);
    expect(error).toBe(
      `${service.origin}/api/tf1/records/?format=api&page=1 answered an unusable envelope: ${message}`,
    );
    expect(service.asked).toHaveLength(1);
    expect(existsSync(`${out}.progress`)).toBe(false);
  });

  test("nobody there", async () => {
    const gone = await startService([]);
    await gone.close();
    const { error, printed } = await copy(gone.origin);
    expect(error).toMatch(/page=1 could not be read \(connect ECONNREFUSED .*\), after 8 attempts$/);
    expect(printed).toEqual([]);
  });
});
