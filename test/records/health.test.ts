import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import { describeState } from "../../src/records/health.ts";
import { HANGS_AFTER_MS } from "../../src/store/retry.ts";
import { NOTHING_LOADED } from "../../src/store/store.ts";
import { failing, hanging, openFaulty } from "../faults/faulty.ts";
import { inBrowser } from "../site/browser-request.ts";
import { context, loadInto, startWorker, useWorker } from "../worker.ts";
import { makeRecords } from "./sample.ts";

const PATH = "/healthz";
const PAGE = "/api/tf1/records/";

const CODE = {
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  tag: expect.any(String),
  timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
};

const UNAVAILABLE = {
  status: "unavailable",
  detail: "Service temporarily unavailable, try again later.",
};

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe.each(STORE_NAMES)("the health check with the %s store", (store) => {
  const worker = useWorker({ vars: { STORE: store } });
  let load: string;
  beforeAll(async () => {
    ({ load } = await loadInto(worker.env, store, makeRecords(100), [{ kind: "file", name: "records.csv" }]));
  });

  const ask = (env: Env, path = PATH) => app.request(`https://counts.example${path}`, {}, env, context);

  test("reports the version of the code and the loaded state, and must not be cached", async () => {
    const response = await worker.fetch(PATH);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      "content-type": "application/json",
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff",
    });
    expect(await response.json()).toEqual({
      status: "ok",
      code: CODE,
      store,
      state: {
        load,
        count: 100,
        loaded_at: expect.stringMatching(/^\d{4}-/),
        age_seconds: expect.any(Number),
        sources: [{ kind: "file", name: "records.csv" }],
      },
    });
  });

  test("responds to HEAD like to GET, and with JSON even to a browser", async () => {
    const head = await worker.fetch(PATH, { method: "HEAD" });
    expect([head.status, head.headers.get("cache-control"), await head.text()]).toEqual([
      200,
      "no-store",
      "",
    ]);
    expect((await worker.fetch(PATH, inBrowser())).headers.get("content-type")).toBe("application/json");
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS"])("responds to %s with 405 and Allow", async (method) => {
    const response = await worker.fetch(PATH, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
    expect(await response.json()).toEqual({ detail: `Method "${method}" not allowed.` });
  });

  test("reads the store each time, even if the instance has cached the state", async () => {
    const { env, cause } = openFaulty(worker.env);
    // Fills the cache of the instance with a page and with the statistics.
    for (const path of [PAGE, "/", PATH]) expect((await ask(env, path)).status).toBe(200);
    cause(failing("KV GET failed: 400 or D1_ERROR: overloaded"));
    const response = await ask(env);
    expect(response.status).toBe(503);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      "retry-after": "5",
      "content-type": "application/json",
    });
    expect(await response.json()).toEqual({ code: CODE, store, ...UNAVAILABLE });
    // Cached pages are still served.
    expect((await ask(env, PAGE)).status).toBe(200);
    cause(failing("", 0));
    expect((await ask(env)).status).toBe(200);
  });

  test("does not affect the page cache: the pages of a load are shown no sooner and no later", async () => {
    const { env, cause, attempts } = openFaulty(worker.env);
    await (await ask(env, PAGE)).text();
    cause(failing("", 0));
    expect((await ask(env)).status).toBe(200);
    const asked = attempts();
    expect(asked).toBeGreaterThan(0);
    expect((await ask(env, PAGE)).status).toBe(200);
    expect(attempts()).toBe(asked);
  });

  test("responds with 503 after three seconds if the store hangs", async () => {
    const { env, cause } = openFaulty(worker.env);
    cause(hanging);
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const answer = ask(env);
    await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS);
    expect((await answer).status).toBe(503);
  });

  test("is not affected by the rate limit or by Prefer", async () => {
    const RATE_LIMITER = { limit: async () => ({ success: false }) };
    const env = { ...worker.env, RATE_LIMIT: "10", RATE_LIMITER };
    const init = { headers: { Prefer: "code=500, body=garbage" } };
    const limited = await app.request(`https://counts.example${PAGE}`, init, env, context);
    expect(limited.status).toBe(429);
    const response = await app.request(`https://counts.example${PATH}?prefer=code=500`, init, env, context);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: "ok" });
  });
});

test("the health check responds with 503 if STORE is wrong, and shows its value", async () => {
  const response = await app.request(`https://counts.example${PATH}`, {}, { STORE: "sqlite" }, context);
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ code: null, store: "sqlite", ...UNAVAILABLE });
});

test("the health check of an empty collection reports no load time, age or sources", async () => {
  const worker = await startWorker();
  const { state } = Object(await (await worker.fetch(PATH)).json());
  await worker.close();
  expect(state).toEqual({ load: null, count: 0, loaded_at: null, age_seconds: null, sources: [] });
});

test.each([
  ["2026-11-01T00:00:00.000Z", "2026-11-01T00:01:30.999Z", 90],
  ["2026-11-01T00:00:00.000Z", "2026-10-31T23:59:59.000Z", 0],
  [undefined, "2026-11-01T00:00:00.000Z", null],
  ["yesterday", "2026-11-01T00:00:00.000Z", null],
])("a state that was loaded at %s and is read at %s has an age of %s s", (switchedAt, now, age) => {
  const state = { ...NOTHING_LOADED, load: "a", count: 2, switchedAt };
  const described = { load: "a", count: 2, loaded_at: switchedAt ?? null, age_seconds: age, sources: [] };
  expect(describeState(state, Date.parse(now))).toEqual(described);
});
