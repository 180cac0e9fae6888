import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { describeState } from "../../src/records/health.ts";
import { HANGS_AFTER_MS } from "../../src/store/retry.ts";
import { NOTHING_LOADED } from "../../src/store/state.ts";
import { createFailingService } from "../failures/failing-service.ts";
import { check, type Exchange } from "../http-suite/exchange.ts";
import { createMemoryService } from "../memory-service.ts";
import { makeRecords } from "./sample.ts";

const PATH = "/healthz";
const PAGE = "/api/tf1/records/";
const UNAVAILABLE = {
  status: 503,
  headers: { "cache-control": "no-store", "content-type": "application/json", "retry-after": "5" },
};
const DETAIL = { detail: "Service temporarily unavailable, try again later." };

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("the health check reads the store once a second, and neither uses nor changes the cache of the instance", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  const { service, control } = await createFailingService(makeRecords(40));
  await check(service.fetch, { send: PAGE }, { send: PATH });
  const countReads = async (...responses: Exchange[]) => {
    const before = control.reads;
    await Promise.all(responses.map((exchange) => check(service.fetch, exchange)));
    return control.reads - before;
  };
  control.fails = true;
  const mock = { faults: true, prefer: null };
  const body = { status: "unavailable", code: expect.any(Object), store: "memory", ...mock, ...DETAIL };
  vi.advanceTimersByTime(999);
  expect(await countReads({ send: PATH }, { send: PATH })).toBe(0);
  vi.advanceTimersByTime(1);
  expect(await countReads(...Array(3).fill({ send: PATH, ...UNAVAILABLE, body }))).toBe(1);
  await check(service.fetch, { send: PAGE });
  control.fails = false;
  vi.advanceTimersByTime(1_000);
  expect(await countReads({ send: PATH }, { send: PATH }, { send: PATH })).toBe(1);
});

test("the health check responds with 503 after three seconds if the store hangs", async () => {
  const { service, control } = await createFailingService(makeRecords(40));
  control.hangs = true;
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  const checked = check(service.fetch, { send: PATH, ...UNAVAILABLE });
  await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS);
  await checked;
});

test("the health check is not affected by the rate limit", async () => {
  const RATE_LIMITER = { limit: async () => ({ success: false }) };
  const service = await createMemoryService([], { settings: { RATE_LIMIT: "10", RATE_LIMITER } });
  await check(service.fetch, { send: PAGE, status: 429 }, { send: PATH });
});

test.each([
  ["2026-11-01T00:00:00.000Z", "2026-11-01T00:01:30.999Z", 90],
  ["2026-11-01T00:00:00.000Z", "2026-10-31T23:59:59.000Z", 0],
  [null, "2026-11-01T00:00:00.000Z", null],
  ["yesterday", "2026-11-01T00:00:00.000Z", null],
])("a state that was loaded at %s and is read at %s has an age of %s s", (loaded_at, now, age) => {
  const state = { ...NOTHING_LOADED, count: 2, loaded_at };
  expect(describeState(state, Date.parse(now)).age_seconds).toBe(age);
});
