import type { D1Database, KVNamespace } from "@cloudflare/workers-types";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createD1Store, toSqlDatabase } from "../../src/store/d1.ts";
import { createKvStore, toKeyValueStore } from "../../src/store/kv.ts";
import { SHORT_PAUSES_MS } from "../../src/store/retry.ts";

/** Messages from the D1 documentation ("Debug D1", the changelog of September 2026), the platform and the runtime. */
const MESSAGES = {
  "is retried": [
    "D1_ERROR: D1 DB reset because its code was updated.",
    "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
    "D1_ERROR: Network connection lost.",
    "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
    "D1_ERROR: Can't read from request stream because client disconnected.",
    "D1_ERROR: Failed to get session commit token: internal error",
    "D1_ERROR: Currently processing a long-running import.",
    "D1_ERROR: database is locked: SQLITE_BUSY",
  ],
  "is not retried": [
    "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
    "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
    "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
    "D1_ERROR: Your account has exceeded D1's free tier daily row read limit. Upgrade to a paid plan or wait until tomorrow (midnight UTC) to continue.",
    "D1_ERROR: no such column: first at offset 7: SQLITE_ERROR",
  ],
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Creates a binding whose queries call a function with the kind of the session. */
function createBinding(call: (constraint: string) => Promise<unknown>): D1Database {
  const withSession = (constraint: string) => ({
    prepare: () => ({ bind: () => ({ all: () => call(constraint) }) }),
  });
  return { withSession } as unknown as D1Database;
}

const cases = Object.entries(MESSAGES).flatMap(([outcome, messages]) =>
  messages.map((message) => [outcome, message] as const),
);
test.each(cases)("a read of D1 %s if it fails with %s", async (outcome, message) => {
  const call = vi.fn(async () => ({ results: [] }));
  call.mockRejectedValueOnce(new Error(message));
  const read = toSqlDatabase(createBinding(call)).query("", [], "first-unconstrained");
  const settled = read.then(() => "done", String);
  await vi.advanceTimersByTimeAsync(SHORT_PAUSES_MS[0] ?? 0);
  expect(await settled).toBe(outcome === "is retried" ? "done" : `Error: ${message}`);
  expect(call).toHaveBeenCalledTimes(outcome === "is retried" ? 2 : 1);
});

test.each([
  ["429 Too Many Requests", [0, 50, 150, 350, 750]],
  ["503 Service Unavailable", [0, 50, 150, 350, 750]],
  ["400 Bad Request", [0]],
])("a read of KV that fails with %s is sent after %j milliseconds", async (status, expected) => {
  const times: number[] = [];
  const begin = Date.now();
  const get = async () => {
    times.push(Date.now() - begin);
    throw new Error(`KV GET failed: ${status}`);
  };
  const { readBlocks } = createKvStore(toKeyValueStore({ get } as unknown as KVNamespace));
  const settled = readBlocks("a", [1]).catch(String);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([times, await settled]).toEqual([expected, `Error: KV GET failed: ${status}`]);
});

test("D1 reads the current snapshot from the primary database, and a block that a replica lacks once more from there", async () => {
  const constraints: string[] = [];
  const snapshot = { id: "a", count: 1, loaded_at: null, source: "" };
  const binding = createBinding(async (constraint) => {
    constraints.push(constraint);
    return { results: constraint === "first-primary" ? [{ ...snapshot, number: 1, text: "b" }] : [] };
  });
  const store = createD1Store(toSqlDatabase(binding));
  expect(await store.readCurrent()).toEqual({ snapshot });
  expect(await store.readBlocks("a", [1])).toEqual(["b"]);
  expect(constraints).toEqual(["first-primary", "first-unconstrained", "first-primary"]);
});

test("a KV location caches the current snapshot for 30 seconds, and blocks for a day", async () => {
  const get = vi.fn(async () => null);
  const { readCurrent, readBlocks } = createKvStore(toKeyValueStore({ get } as unknown as KVNamespace));
  await readCurrent({ wanted: 1 });
  await readBlocks("a", [1]);
  expect(get.mock.calls).toEqual([
    ["current-snapshot", { type: "text", cacheTtl: 30 }],
    ["block/a/1", { type: "text", cacheTtl: 86_400 }],
  ]);
});
