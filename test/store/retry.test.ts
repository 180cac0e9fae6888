import type { D1Database, KVNamespace } from "@cloudflare/workers-types";
import { beforeEach, expect, test, vi } from "vitest";
import { createD1Store, toSqlDatabase } from "../../src/store/d1.ts";
import { createKvStore, toKeyValueStore } from "../../src/store/kv.ts";
import { openRemoteStore } from "../../tools/data/stores/remote-stores.ts";

beforeEach(() => void vi.useFakeTimers());

/** Opens a binding whose queries call a function with the kind of the session. */
function openD1(call: (constraint: string) => Promise<unknown>) {
  const withSession = (constraint: string) => ({
    prepare: () => ({ bind: () => ({ all: () => call(constraint) }) }),
  });
  return createD1Store(toSqlDatabase({ withSession } as unknown as D1Database));
}

const openKv = (get: (...parameters: unknown[]) => Promise<string | null>) =>
  createKvStore(toKeyValueStore({ get } as unknown as KVNamespace));

// Messages from the D1 documentation ("Debug D1", the changelog of September 2026), the platform and the runtime.
test.each([
  ["D1 DB reset because its code was updated.", 5],
  ["Internal error while starting up D1 DB storage caused object to be reset.", 5],
  ["Network connection lost.", 5],
  ["Cannot resolve D1 DB due to transient issue on remote node.", 5],
  ["Can't read from request stream because client disconnected.", 5],
  ["Failed to get session commit token: internal error", 5],
  ["Currently processing a long-running import.", 5],
  ["database is locked: SQLITE_BUSY", 5],
  ["D1 DB storage operation exceeded timeout which caused object to be reset.", 1],
  ["D1 DB is overloaded. Too many requests queued.", 1],
  ["D1 DB's isolate exceeded its memory limit and was reset.", 1],
  ["Your account has exceeded D1's free tier daily row read limit.", 1],
  ["no such column: first at offset 7: SQLITE_ERROR", 1],
])("a read of D1 that fails with %j is sent at most %i times", async (message, expected) => {
  const call = vi.fn().mockRejectedValue(new Error(`D1_ERROR: ${message}`));
  const failed = expect(openD1(call).readCurrent()).rejects.toThrow(message);
  await vi.runAllTimersAsync();
  await failed;
  expect(call).toHaveBeenCalledTimes(expected);
});

test.each([
  ["429 Too Many Requests", 5],
  ["503 Service Unavailable", 5],
  ["400 Bad Request", 1],
])("a read of KV that fails with %s is sent at most %i times", async (status, expected) => {
  const get = vi.fn().mockRejectedValue(new Error(`KV GET failed: ${status}`));
  const failed = expect(openKv(get).readBlocks("a", [1])).rejects.toThrow(status);
  await vi.runAllTimersAsync();
  await failed;
  expect(get).toHaveBeenCalledTimes(expected);
});

const WRANGLER_FAILS = { status: 1, stdout: "", stderr: "Upstream service unavailable [code: 7009]" };

/** Stores whose every read fails with a transient error, and calls a function before. */
const FAILING_STORES: Record<string, (onRead: () => void) => { readCurrent(): Promise<unknown> }> = {
  D1: (onRead) =>
    openD1(async () => {
      onRead();
      throw new Error("D1_ERROR: Network connection lost.");
    }),
  KV: (onRead) =>
    openKv(async () => {
      onRead();
      throw new Error("KV GET failed: 503");
    }),
  "D1 over wrangler": (onRead) => {
    const wrangler = async () => {
      onRead();
      return WRANGLER_FAILS;
    };
    return openRemoteStore("d1", { wrangler }).store;
  },
};

test.each([
  { name: "D1", times: [0, 50, 150, 350, 750] },
  { name: "KV", times: [0, 50, 150, 350, 750] },
  { name: "D1 over wrangler", times: [0, 1_000, 3_000, 7_000, 15_000] },
])("the pauses between the attempts of a read of $name become longer", async ({ name, times }) => {
  const startedAt = Date.now();
  const found: number[] = [];
  const store = FAILING_STORES[name]?.(() => found.push(Date.now() - startedAt));
  const failed = expect(store?.readCurrent()).rejects.toThrow();
  await vi.runAllTimersAsync();
  await failed;
  expect(found).toEqual(times);
});

const snapshot = { id: "a", count: 1, loaded_at: null, source: "" };

test("a read succeeds if its second attempt does", async () => {
  const call = vi.fn().mockRejectedValueOnce(new Error("D1_ERROR: Network connection lost."));
  const read = openD1(call.mockResolvedValue({ results: [snapshot] })).readCurrent();
  await vi.runAllTimersAsync();
  expect(await read).toEqual({ snapshot });
});

test("D1 reads the current snapshot from the primary database, and a block that a replica lacks once more from there", async () => {
  const constraints: string[] = [];
  const store = openD1(async (constraint) => {
    constraints.push(constraint);
    return { results: constraint === "first-primary" ? [{ ...snapshot, number: 1, text: "b" }] : [] };
  });
  expect(await store.readCurrent()).toEqual({ snapshot });
  expect(await store.readBlocks("a", [1])).toEqual(["b"]);
  expect(constraints).toEqual(["first-primary", "first-unconstrained", "first-primary"]);
});

test("a KV location caches the current snapshot for 30 seconds, and blocks for a day", async () => {
  const get = vi.fn(async () => null);
  const { readCurrent, readBlocks } = openKv(get);
  await readCurrent({ wanted: 1 });
  await readBlocks("a", [1]);
  expect(get.mock.calls).toEqual([
    ["current-snapshot", { type: "text", cacheTtl: 30 }],
    ["block/a/1", { type: "text", cacheTtl: 86_400 }],
  ]);
});
