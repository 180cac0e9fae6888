import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import { describeState } from "../../src/records/health.ts";
import { HANGS_AFTER_MS } from "../../src/store/retry.ts";
import { NOTHING_LOADED } from "../../src/store/store.ts";
import { check, type Send } from "../exchange.ts";
import { failing, hanging, openFaulty } from "../faults/faulty.ts";
import { makeRecords } from "../records/sample.ts";
import { inBrowser } from "../site/browser-request.ts";
import { context, loadInto, startWorker, useWorker } from "../worker.ts";

const PATH = "/healthz";
const PAGE = "/api/tf1/records/";
const SOURCES = [{ kind: "file", name: "records.csv" }] as const;
const HEADERS = {
  "cache-control": "no-store",
  "content-type": "application/json",
  "access-control-allow-origin": "*",
};
const CODE = {
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  tag: expect.any(String),
  timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
};
const UNAVAILABLE = { status: "unavailable", detail: "Service temporarily unavailable, try again later." };

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const sendTo =
  (env: object): Send =>
  (target, init) =>
    app.request(`https://counts.example${target}`, init, env, context);

describe.each(STORE_NAMES)("the health check with the %s store", (store) => {
  const worker = useWorker({ vars: { STORE: store } });
  let load: string;
  beforeAll(async () => {
    ({ load } = await loadInto(worker.env, store, makeRecords(100), [...SOURCES]));
  });

  test("reports the version of the code and the loaded state, in JSON even to a browser", async () => {
    const state = {
      load,
      count: 100,
      loaded_at: expect.stringMatching(/^\d{4}-/),
      age_seconds: expect.any(Number),
      sources: SOURCES,
    };
    const body = { status: "ok", code: CODE, store, state };
    const accept = String(Object(inBrowser().headers).accept);
    await check(worker.fetch, { send: PATH, with: { accept }, headers: HEADERS, body });
    await check(worker.fetch, { send: `HEAD ${PATH}`, headers: HEADERS, body: "" });
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS"])("responds to %s with 405", (method) =>
    check(worker.fetch, {
      send: `${method} ${PATH}`,
      status: 405,
      headers: { allow: "GET, HEAD" },
      body: { detail: `Method "${method}" not allowed.` },
    }),
  );

  test("reads the store each time, and neither uses nor changes the cache of the instance", async () => {
    const { env, cause, attempts } = openFaulty(worker.env);
    const send = sendTo(env);
    await check(send, { send: PAGE }, { send: PATH });
    cause(failing("KV GET failed: 400 or D1_ERROR: overloaded"));
    const body = { code: CODE, store, ...UNAVAILABLE };
    await check(send, { send: PATH, status: 503, headers: { ...HEADERS, "retry-after": "5" }, body });
    await check(send, { send: PAGE });
    cause(failing("", 0));
    await check(send, { send: PATH });
    const asked = attempts();
    expect(asked).toBeGreaterThan(0);
    await check(send, { send: PAGE });
    expect(attempts()).toBe(asked);
  });

  test("responds with 503 after three seconds if the store hangs", async () => {
    const { env, cause } = openFaulty(worker.env);
    cause(hanging);
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const checked = check(sendTo(env), { send: PATH, status: 503 });
    await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS);
    await checked;
  });

  test("is not affected by the rate limit or by Prefer", async () => {
    const RATE_LIMITER = { limit: async () => ({ success: false }) };
    const send = sendTo({ ...worker.env, RATE_LIMIT: "10", RATE_LIMITER });
    const fault = { with: { Prefer: "code=500, body=garbage" } };
    await check(send, { send: PAGE, status: 429, ...fault });
    await check(send, { send: `${PATH}?prefer=code=500`, body: /^{"status":"ok"/, ...fault });
  });
});

test("the health check responds with 503 if STORE is wrong, and shows its value", () =>
  check(sendTo({ STORE: "sqlite" } satisfies Partial<Env>), {
    send: PATH,
    status: 503,
    body: { code: null, store: "sqlite", ...UNAVAILABLE },
  }));

test("the health check of an empty collection reports no load time, age or sources", async () => {
  const worker = await startWorker();
  await check(worker.fetch, {
    send: PATH,
    body: expect.objectContaining({
      state: { load: null, count: 0, loaded_at: null, age_seconds: null, sources: [] },
    }),
  });
  await worker.close();
});

test.each([
  ["2026-11-01T00:00:00.000Z", "2026-11-01T00:01:30.999Z", 90],
  ["2026-11-01T00:00:00.000Z", "2026-10-31T23:59:59.000Z", 0],
  [undefined, "2026-11-01T00:00:00.000Z", null],
  ["yesterday", "2026-11-01T00:00:00.000Z", null],
])("a state that was loaded at %s and is read at %s has an age of %s s", (switchedAt, now, age) => {
  const state = { ...NOTHING_LOADED, count: 2, switchedAt };
  expect(describeState(state, Date.parse(now)).age_seconds).toBe(age);
});
