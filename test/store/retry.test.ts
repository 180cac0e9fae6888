import type { D1Database, KVNamespace } from "@cloudflare/workers-types";
import { beforeEach, expect, test, vi } from "vitest";
import { createD1Store, toSqlDatabase } from "../../src/store/d1.ts";
import { createKvStore, toReadableNamespace } from "../../src/store/kv.ts";
import { FORMAT } from "../../src/store/snapshot.ts";
import { openRemoteStore } from "../../tools/data/stores/remote-stores.ts";

beforeEach(() => void vi.useFakeTimers().setTimerTickMode("nextTimerAsync"));

/** Opens a binding whose queries call a function with the kind of the session. */
function openD1(call: (constraint: string) => Promise<unknown>) {
  const withSession = (constraint: string) => ({
    prepare: () => ({ bind: () => ({ all: () => call(constraint) }) }),
  });
  return createD1Store(toSqlDatabase({ withSession } as unknown as D1Database));
}

const openKv = (get: (...parameters: unknown[]) => Promise<string | null>) =>
  createKvStore(toReadableNamespace({ get } as unknown as KVNamespace));

/** Opens a store whose every read calls a function that fails. */
const OPEN = {
  D1: openD1,
  KV: openKv,
  "D1 over wrangler": (read: () => Promise<never>) => {
    const wrangler = () => read().catch(({ message }) => ({ status: 1, stdout: "", stderr: message }));
    return openRemoteStore("d1", { wrangler }).store;
  },
};

const ONCE = [0];
const FIVE_TIMES = [0, 50, 150, 350, 750];

// Messages from the D1 documentation ("Debug D1", the changelog of September 2026), the platform and the runtime.
test.each<[name: keyof typeof OPEN, message: string, times: number[]]>([
  ["D1", "D1_ERROR: D1 DB reset because its code was updated.", FIVE_TIMES],
  ["D1", "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.", FIVE_TIMES],
  ["D1", "D1_ERROR: Network connection lost.", FIVE_TIMES],
  ["D1", "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.", FIVE_TIMES],
  ["D1", "D1_ERROR: Can't read from request stream because client disconnected.", FIVE_TIMES],
  ["D1", "D1_ERROR: Failed to get session commit token: internal error", FIVE_TIMES],
  ["D1", "D1_ERROR: Currently processing a long-running import.", FIVE_TIMES],
  ["D1", "D1_ERROR: database is locked: SQLITE_BUSY", FIVE_TIMES],
  ["D1", "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.", ONCE],
  ["D1", "D1_ERROR: D1 DB is overloaded. Too many requests queued.", ONCE],
  ["D1", "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.", ONCE],
  ["D1", "D1_ERROR: Your account has exceeded D1's free tier daily row read limit.", ONCE],
  ["D1", "D1_ERROR: no such function: first at offset 7: SQLITE_ERROR", ONCE],
  ["KV", "KV GET failed: 429 Too Many Requests", FIVE_TIMES],
  ["KV", "KV GET failed: 503 Service Unavailable", FIVE_TIMES],
  ["KV", "KV GET failed: 400 Bad Request", ONCE],
  ["D1 over wrangler", "Upstream service unavailable [code: 7009]", [0, 1_000, 3_000, 7_000, 15_000]],
])("a read of %s that fails with %j is sent after %j milliseconds", async (name, message, expected) => {
  const startedAt = Date.now();
  const times: number[] = [];
  const store = OPEN[name](async () => {
    times.push(Date.now() - startedAt);
    throw new Error(message);
  });
  await expect(store.readCurrent()).rejects.toThrow(message);
  expect(times).toEqual(expected);
});

const snapshot = { id: "a", count: 1, loaded_at: null, source: "" };
const row = { format: FORMAT, ...snapshot };

test("a read succeeds if its second attempt does", async () => {
  const call = vi.fn().mockRejectedValueOnce(new Error("D1_ERROR: Network connection lost."));
  const { readCurrent } = openD1(call.mockResolvedValue({ results: [row] }));
  expect(await readCurrent()).toEqual({ snapshot });
});

test("D1 reads the current snapshot from the primary database, and a block that a replica lacks once more from there", async () => {
  const constraints: string[] = [];
  const store = openD1(async (constraint) => {
    constraints.push(constraint);
    return { results: constraint === "first-primary" ? [{ ...row, number: 1, text: "b" }] : [] };
  });
  expect(await store.readCurrent()).toEqual({ snapshot });
  expect(await store.readBlocks("a", [1])).toEqual(["b"]);
  expect(constraints).toEqual(["first-primary", "first-unconstrained", "first-primary"]);
});

test("a KV location caches the current snapshot and missing blocks for 30 seconds, and blocks for a day", async () => {
  const get = vi.fn(async (key) => (key === "block/a/1" ? "[]" : null));
  const { readCurrent, readBlocks } = openKv(get);
  await readCurrent({ wanted: 1 });
  await readBlocks("a", [1]);
  await readBlocks("a", [2]);
  expect(get.mock.calls).toEqual([
    ["current-snapshot", { type: "text", cacheTtl: 30 }],
    ["block/a/1", { type: "text", cacheTtl: 86_400 }],
    ["block/a/2", { type: "text", cacheTtl: 86_400 }],
    ["block/a/2", { type: "text", cacheTtl: 30 }],
  ]);
});
