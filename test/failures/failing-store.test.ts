import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HANGS_AFTER_MS } from "../../src/store/retry.ts";
import { check, type Exchange, PATH } from "../http-suite/exchange.ts";
import { makeRecords } from "../records/sample.ts";
import { createFailingService, readLog } from "./failing-service.ts";

const records = makeRecords(200);

const UNAVAILABLE: Omit<Exchange, "send"> = {
  status: 503,
  headers: {
    "retry-after": "5",
    "cache-control": "no-store",
    "content-type": "application/json",
    allow: "GET, OPTIONS",
    vary: "Accept",
    "access-control-allow-origin": "*",
    etag: null,
  },
  // It says nothing about the cause.
  body: { detail: "Service temporarily unavailable, try again later." },
};

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("a store that fails causes 503, only for requests that need records, and only while it fails", async () => {
  const { service, control } = await createFailingService(records);
  control.fails = true;
  await check(
    service.fetch,
    ...["", "?page=99", "?page=last"].map((query) => ({
      send: PATH + query,
      ...UNAVAILABLE,
    })),
    { send: PATH, with: { "if-none-match": "*" }, ...UNAVAILABLE },
    { send: `HEAD ${PATH}`, ...UNAVAILABLE, body: "" },
    { send: `${PATH}?prefer=on=1`, ...UNAVAILABLE },
    { send: `OPTIONS ${PATH}` },
    { send: `POST ${PATH}`, status: 405 },
    { send: `${PATH}?page=0`, status: 404 },
    { send: "/docs" },
  );
  control.fails = false;
  await check(service.fetch, { send: PATH });
});

test("a store that hangs causes 503 after three seconds, and does not delay later requests", async () => {
  const { service, control } = await createFailingService(records);
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  control.hangs = true;
  const checked = check(service.fetch, { send: PATH, ...UNAVAILABLE });
  await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS);
  await checked;
  control.hangs = false;
  await check(service.fetch, { send: PATH });
});

test("a conditional request gets 304 for the state that is kept, and 503 if none is kept", async () => {
  const { service, open, control } = await createFailingService(records);
  const response = await service.fetch(PATH);
  const copy = { send: PATH, with: { "if-none-match": String(response.headers.get("etag")) } };
  control.fails = true;
  await check(service.fetch, { ...copy, status: 304 });
  await check(open().fetch, { ...copy, ...UNAVAILABLE });
});

test("each failure is one line of JSON in the log: what failed, where and why, and nothing about the client", async () => {
  const { service, control } = await createFailingService(records, { STORE: "d1" });
  const secrets = {
    "user-agent": "s3cr3t",
    "cf-connecting-ip": "192.0.2.77",
    referer: "https://app.example/",
  };
  const ask = (path: string, status = 200) =>
    check(service.fetch, { send: `${path}s3cr3t=1`, with: secrets, status });
  await ask(`${PATH}?`);
  control.fails = true;
  for (let request = 0; request < 3; request++) await ask(`${PATH}?`);
  for (const path of ["/healthz?", "/?", `${PATH}?page=last&`]) await ask(path, 503);
  await ask("/nothing/s3cr3t?", 404);
  const about = { store: "d1", reason: "Error: the store is broken", at: expect.any(Array) };
  const failed = { event: "request_failed", method: "GET", status: 503, ...about };
  expect(readLog()).toEqual([
    { event: "kept_served", ...about },
    { ...failed, path: "/healthz" },
    { ...failed, path: "/" },
    { ...failed, path: PATH },
  ]);
  for (const secret of ["s3cr3t", "192.0.2.77", "app.example", "page=", "counts.example"])
    expect(JSON.stringify(readLog())).not.toContain(secret);
});
