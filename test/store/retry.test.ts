import type { D1Database, KVNamespace } from "@cloudflare/workers-types";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { toSqlDatabase } from "../../src/store/d1.ts";
import { createKvStore, toKeyValueStore } from "../../src/store/kv.ts";
import {
  createSingleFlight,
  JOIN_WINDOW_MS,
  READ_TIMEOUT_MS,
  retry,
  SHORT_PAUSES,
} from "../../src/store/retry.ts";

/** Messages from the D1 documentation ("Debug D1", the changelog of September 2026), the platform and the runtime. */
const MESSAGES = {
  "of D1 is retried": [
    "D1_ERROR: D1 DB reset because its code was updated.",
    "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
    "D1_ERROR: Network connection lost.",
    "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
    "D1_ERROR: Can't read from request stream because client disconnected.",
    "D1_ERROR: Failed to get session commit token: internal error",
    "D1_ERROR: Currently processing a long-running import.",
    "D1_ERROR: database is locked: SQLITE_BUSY",
  ],
  "of D1 is not retried": [
    "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
    "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
    "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
    "D1_ERROR: Your account has exceeded D1's free tier daily row read limit. Upgrade to a paid plan or wait until tomorrow (midnight UTC) to continue.",
    "D1_ERROR: no such column: first at offset 7: SQLITE_ERROR",
  ],
  "of KV is retried": [
    "KV GET failed: 500 Internal Server Error",
    "KV GET failed: 429 Too Many Requests",
    "Network connection lost.",
  ],
  "of KV is not retried": [
    "KV GET failed: 400 Bad Request",
    "KV GET failed: 414 UTF-8 encoded length of 513 exceeds key length limit of 512.",
    "Too many API requests by single worker invocation.",
  ],
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Reads through a binding with a fake method. */
function readThrough(store: "D1" | "KV", call: () => Promise<unknown>): Promise<unknown> {
  if (store === "KV") return toKeyValueStore({ get: call } as unknown as KVNamespace).get(["a"], 30);
  const session = { prepare: () => ({ bind: () => ({ all: call }) }) };
  return toSqlDatabase({ withSession: () => session } as unknown as D1Database).query("", [], false);
}

const cases = Object.entries(MESSAGES).flatMap(([outcome, messages]) =>
  messages.map((message) => [outcome, message] as const),
);
test.each(cases)("a read %s if it fails with %s", async (outcome, message) => {
  const store = outcome.includes("D1") ? "D1" : "KV";
  const isRetried = outcome.endsWith("is retried");
  const call = vi.fn(async () => ({ results: [] }));
  call.mockRejectedValueOnce(new Error(message));
  const read = readThrough(store, call).then(() => "done", String);
  await vi.advanceTimersByTimeAsync(SHORT_PAUSES.totalPauseMs);
  expect(await read).toBe(isRetried ? "done" : `Error: ${message}`);
  expect(call).toHaveBeenCalledTimes(isRetried ? 2 : 1);
});

test("the pauses double up to one second in total, and the time of the attempts does not count", async () => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  const begin = Date.now();
  const times: number[] = [];
  const operation = async () => {
    times.push(Date.now() - begin);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    throw new Error("busy");
  };
  const outcome = retry(operation, { isTransient: () => true, ...SHORT_PAUSES }).catch(String);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(times).toEqual([0, 1_040, 2_120, 3_280, 4_600]);
  expect(await outcome).toBe("Error: busy");
});

test.each([
  [true, "first-primary"],
  [false, "first-unconstrained"],
])("a read of D1 with fromPrimary: %s starts a session with %s", async (fromPrimary, constraint) => {
  const withSession = vi.fn(() => {
    throw new Error("enough");
  });
  const { query } = toSqlDatabase({ withSession } as unknown as D1Database);
  await expect(query("", [], fromPrimary)).rejects.toThrow("enough");
  expect(withSession).toHaveBeenCalledExactlyOnceWith(constraint);
});

test("a KV location caches the state for 30 seconds, and blocks for a day", async () => {
  const get = vi.fn(async () => null);
  const { readState, readBlocks } = createKvStore(toKeyValueStore({ get } as unknown as KVNamespace));
  await readState({ withBlock: 1 });
  await readBlocks("a", [1]);
  expect(get.mock.calls).toEqual([
    ["state", { type: "text", cacheTtl: 30 }],
    ["block/a/1", { type: "text", cacheTtl: 86_400 }],
  ]);
});

test("requests that start within a second share a read, and each request times out after three seconds", async () => {
  const singleFlight = createSingleFlight();
  const read = vi.fn(() => new Promise<number>(() => {}));
  const waitUntil = vi.fn();
  const failed = vi.fn();
  const startRequest = () => void singleFlight("page", read, waitUntil).catch(failed);
  startRequest();
  await vi.advanceTimersByTimeAsync(JOIN_WINDOW_MS - 1);
  startRequest();
  expect(read).toHaveBeenCalledOnce();
  expect(waitUntil, "the work may continue after the request").toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(1);
  startRequest();
  expect(read, "no request joins a read that may hang").toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(READ_TIMEOUT_MS - JOIN_WINDOW_MS);
  const timeout = new Error(`The store did not respond within ${READ_TIMEOUT_MS} ms`);
  expect(failed.mock.calls).toEqual([[timeout]]);
  await vi.advanceTimersByTimeAsync(JOIN_WINDOW_MS);
  expect(failed.mock.calls).toEqual([[timeout], [timeout], [timeout]]);
  read.mockImplementation(() => Promise.resolve(2));
  expect(await singleFlight("page", read, waitUntil), "a later request starts a new read").toBe(2);
  read.mockImplementation(() => Promise.resolve(3));
  expect(await singleFlight("page", read, waitUntil), "results are not cached").toBe(3);
  expect(vi.getTimerCount(), "no timer is left").toBe(0);
});
