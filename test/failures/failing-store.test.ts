import type { KVNamespace } from "@cloudflare/workers-types";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { logFailure } from "../../src/log.ts";
import { describeSnapshot } from "../../src/routes/health.ts";
import { BLOCK_SIZE } from "../../src/store/block.ts";
import { CURRENT_SNAPSHOT_KEY, getBlockKey } from "../../src/store/kv.ts";
import { FORMAT, NOTHING_LOADED } from "../../src/store/snapshot.ts";
import { FRESH_MS } from "../../src/store/snapshot-cache.ts";
import { READ_TIMEOUT_MS } from "../../src/store/store.ts";
import { createControlledStore, makeSnapshot } from "../support/controlled-store.ts";
import { checkExchanges, type Exchange, PATH, UNAVAILABLE } from "../support/exchange.ts";
import { context, createInstance, getLogLines } from "../support/memory-service.ts";
import { makeNewestFirst } from "../support/reader.ts";
import { encodeBlocks } from "../support/sample-records.ts";

const createTestStore = () => createControlledStore(makeSnapshot(BLOCK_SIZE + 1));

/** The headers of `/healthz` do not include `Allow`. */
const HEALTH = {
  ...UNAVAILABLE,
  headers: { ...UNAVAILABLE.headers, allow: null, vary: null },
  body: expect.objectContaining({ status: "unavailable", store: "memory", ...Object(UNAVAILABLE.body) }),
};

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));

test("a failing store causes 503 only for requests that need records, and only while it fails", async () => {
  const { store, control } = createTestStore();
  const { fetch } = createInstance(store);
  control.fails = true;
  await checkExchanges(
    fetch,
    ...["", "?page=99", "?page=last", "?prefer=on=last"].map((query) => ({
      request: PATH + query,
      ...UNAVAILABLE,
    })),
    { request: PATH, requestHeaders: { "if-none-match": "*" }, ...UNAVAILABLE },
    { request: `HEAD ${PATH}`, ...UNAVAILABLE, body: "" },
    { request: `OPTIONS ${PATH}` },
    { request: `POST ${PATH}`, status: 405 },
    { request: `${PATH}?page=0`, status: 404 },
    { request: `${PATH}?page=last&prefer=code=404`, status: 404 },
  );
  control.fails = false;
  await checkExchanges(fetch, { request: PATH });
});

test("a current copy is confirmed by the current snapshot alone, even while the store fails", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { store, control, reads } = createTestStore();
  const { fetch } = createInstance(store);
  const condition = { "if-none-match": "*" };
  await checkExchanges(fetch, { request: `${PATH}?page=last` });
  await checkExchanges(fetch, { request: PATH, requestHeaders: condition, status: 304 });
  expect(reads).toEqual(["current"]);
  control.fails = true;
  vi.advanceTimersByTime(FRESH_MS);
  await checkExchanges(
    fetch,
    { request: PATH, requestHeaders: condition, status: 304 },
    { request: PATH, ...UNAVAILABLE },
    { request: PATH, requestHeaders: { ...condition, prefer: "fail=0" }, status: 304 },
  );
});

test.each([
  ["a client without a copy", {}],
  ["a client with an outdated copy, which is compared in the same search", { "if-none-match": '"other"' }],
])("if the store is slow, %s waits for seven seconds", async (_, headers) => {
  const { store, control } = createControlledStore(makeSnapshot(BLOCK_SIZE + 1), "kv");
  const { fetch } = createInstance(store);
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  Object.assign(control, { delayMs: READ_TIMEOUT_MS - 1, hidden: control.current.id });
  const startedAt = Date.now();
  const responding = fetch(PATH, { headers }).then(({ status }) => [status, Date.now() - startedAt]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await responding).toEqual([503, 7_000]);
});

test("if the store hangs, the health check is 503 after three seconds, and later checks are not delayed", async () => {
  const { store, control } = createTestStore();
  const { fetch } = createInstance(store);
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  control.delayMs = 3_600_000;
  const checked = checkExchanges(fetch, { request: "/healthz", ...HEALTH });
  await vi.advanceTimersByTimeAsync(READ_TIMEOUT_MS);
  await checked;
  control.delayMs = 0;
  await checkExchanges(fetch, { request: "/healthz" });
});

describe("in KV, a current snapshot", () => {
  /** Creates an instance whose namespace has two blocks. */
  function createKvInstance() {
    vi.useFakeTimers({ toFake: ["Date"] });
    const snapshot = makeSnapshot(BLOCK_SIZE + 1);
    const blocks = encodeBlocks(makeNewestFirst(snapshot.count));
    const values = new Map(blocks.map(({ number, text }) => [getBlockKey(snapshot.id, number), text]));
    const load = (changes = {}) =>
      values.set(CURRENT_SNAPSHOT_KEY, JSON.stringify({ format: FORMAT, ...snapshot, ...changes }));
    const lose = () => values.delete(CURRENT_SNAPSHOT_KEY);
    const KV = { get: async (key: string) => values.get(key) ?? null } as KVNamespace;
    const { fetch } = createInstance(undefined, { settings: { STORE: "kv", KV } });
    const getCount = async (query: string) => Object(await (await fetch(PATH + query)).json()).count;
    return { load, lose, fetch, getCount };
  }

  test("that is missing is a failed read for an instance that had one: it serves the old one, and logs one line", async () => {
    const { load, lose, fetch, getCount } = createKvInstance();
    load();
    expect(await getCount("")).toBe(BLOCK_SIZE + 1);
    lose();
    vi.advanceTimersByTime(FRESH_MS);
    for (const query of ["", "?page=2", "?page=last"]) expect(await getCount(query)).toBe(BLOCK_SIZE + 1);
    const reason = expect.stringContaining(CURRENT_SNAPSHOT_KEY);
    expect(getLogLines()).toMatchObject([{ event: "stale_served", reason }]);
    await checkExchanges(fetch, { request: `${PATH}?page=99`, ...UNAVAILABLE });
    load();
    vi.advanceTimersByTime(FRESH_MS);
    await checkExchanges(fetch, { request: `${PATH}?page=99`, status: 404 });
  });

  test("of another version is a 503 for each page and the health check, whose reason in the log says so", async () => {
    const { load, fetch } = createKvInstance();
    load({ format: FORMAT + 1 });
    const health = { ...HEALTH, body: expect.objectContaining({ status: "unavailable" }) };
    await checkExchanges(fetch, { request: PATH, ...UNAVAILABLE }, { request: "/healthz", ...health });
    const reason = expect.stringContaining("made by another version of this project");
    expect(getLogLines()).toMatchObject([{ reason }, { reason }]);
  });

  test("that is missing is an empty collection for an instance that had none", async () => {
    const { load, getCount } = createKvInstance();
    for (const query of ["", "?page=last"]) expect(await getCount(query)).toBe(0);
    load();
    vi.advanceTimersByTime(FRESH_MS);
    expect(await getCount("")).toBe(BLOCK_SIZE + 1);
    expect(getLogLines()).toEqual([]);
  });
});

describe("the health check", () => {
  test("reads the store at most once a second, and neither uses nor changes the cache of the instance", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const { store, control, reads } = createTestStore();
    const { fetch } = createInstance(store);
    await checkExchanges(fetch, { request: PATH }, { request: "/healthz" });
    const countReads = async (...responses: Exchange[]) => {
      const before = reads.length;
      await Promise.all(responses.map((exchange) => checkExchanges(fetch, exchange)));
      return reads.length - before;
    };
    control.fails = true;
    vi.advanceTimersByTime(999);
    expect(await countReads({ request: "/healthz" }, { request: "/healthz" })).toBe(0);
    vi.advanceTimersByTime(1);
    expect(await countReads(...Array(3).fill({ request: "/healthz", ...HEALTH }))).toBe(1);
    await checkExchanges(fetch, { request: PATH });
    control.fails = false;
    vi.advanceTimersByTime(1_000);
    expect(await countReads({ request: "/healthz" }, { request: "/healthz" })).toBe(1);
  });

  test("lets the runtime continue a read that others share, after the check that started it", async () => {
    const waitUntil = vi.spyOn(context, "waitUntil");
    const { fetch } = createInstance(createTestStore().store);
    await checkExchanges(fetch, { request: "/healthz" }, { request: "/healthz" });
    expect(waitUntil).toHaveBeenCalledExactlyOnceWith(expect.any(Promise));
  });

  test("has no snapshot before the first load", () => {
    const expected = { id: null, count: 0, loaded_at: null, age_seconds: null };
    expect(describeSnapshot(NOTHING_LOADED, 0)).toMatchObject(expected);
  });

  test.each([
    ["2026-11-01T00:00:00.000Z", "2026-11-01T00:01:30.999Z", 90],
    ["2026-11-01T00:00:00.000Z", "2026-10-31T23:59:59.000Z", 0],
    [null, "2026-11-01T00:00:00.000Z", null],
    ["yesterday", "2026-11-01T00:00:00.000Z", null],
  ])("of a snapshot loaded at %s and read at %s has an age of %s seconds", (loaded_at, now, age) => {
    const snapshot = { id: "a", count: 2, loaded_at, source: "" };
    expect(describeSnapshot(snapshot, Date.parse(now)).age_seconds).toBe(age);
  });
});

describe("the log", () => {
  test("has a line of JSON for each failure, with its event, reason and place, and without client data", async () => {
    const { store, control } = createTestStore();
    const { fetch } = createInstance(store);
    const secrets = { "user-agent": "s3cr3t", "cf-connecting-ip": "192.0.2.77", referer: "app.example" };
    const request = (path: string, status = 200) =>
      checkExchanges(fetch, { request: `${path}s3cr3t=1`, requestHeaders: secrets, status });
    vi.useFakeTimers({ toFake: ["Date"] });
    await request(`${PATH}?`);
    control.fails = true;
    vi.advanceTimersByTime(5_000);
    for (let count = 0; count < 3; count++) await request(`${PATH}?`);
    for (const path of ["/healthz?", "/?", `${PATH}?page=last&`]) await request(path, 503);
    await request("/nothing/s3cr3t?", 404);
    const details = { store: "memory", reason: "Error: the store fails", at: expect.any(Array) };
    const failed = { event: "request_failed", method: "GET", status: 503, ...details };
    const failures = ["/healthz", "/", PATH].map((path) => ({ ...failed, path }));
    expect(getLogLines()).toEqual([{ event: "stale_served", ...details }, ...failures]);
    for (const secret of ["s3cr3t", "192.0.2.77", "app.example", "page=", "counts.example"])
      expect(JSON.stringify(getLogLines())).not.toContain(secret);
  });

  function log(error: unknown) {
    logFailure({ event: "stale_served", store: "d1" }, error);
    return getLogLines()[0];
  }

  test.each<[string, unknown, string]>([
    ["an error", new TypeError("no"), "TypeError: no"],
    ["its cause", new Error("no", { cause: new SyntaxError("odd") }), "Error: no (SyntaxError: odd)"],
    ["two lines", new Error("one\ntwo"), "Error: one\ntwo"],
    ["a string", "no", "no"],
    ["undefined", undefined, "undefined"],
    ["complete if it has at most 500 characters", "x".repeat(500), "x".repeat(500)],
    ["shortened if it is longer", "x".repeat(501), `${"x".repeat(500)}...`],
  ])("has a reason from %s", (_, error, reason) => {
    const { at, ...line } = log(error);
    expect(line.reason).toBe(reason);
    expect(at.length > 0, "only errors have frames").toBe(error instanceof Error);
  });

  test("shows no control characters of a damaged value", () => {
    const reason = "Error: \u009b31m\u202e";
    expect(log(new Error("\u009b31m\u202e")).reason).toBe(reason);
    expect(vi.mocked(console.error).mock.lastCall?.[0]).toContain(String.raw`\u009b31m\u202e`);
  });

  test("has a few frames without the message, even if the message looks like a frame", () => {
    const { at } = log(new Error("no\nat all"));
    expect(at[0]).toMatch(/failing-store\.test\.ts:\d+:\d+/);
    expect(at.length).toBeLessThanOrEqual(8);
  });
});
