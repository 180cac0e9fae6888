import type { D1Database, KVNamespace } from "@cloudflare/workers-types";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { bindDatabase } from "../../src/store/d1.ts";
import { bindNamespace, createKvStore, GRACE_MS, type KeyValueStore } from "../../src/store/kv.ts";
import { SHORT_PAUSES } from "../../src/store/retry.ts";
import { NOTHING_LOADED } from "../../src/store/store.ts";

/**
 * Messages that the vendor documents ("Debug D1", the changelog of September 2026) or that the runtime throws, and
 * whether the same operation can succeed a moment later.
 */
const MESSAGES = {
  d1: {
    transient: [
      "D1_ERROR: D1 DB reset because its code was updated.",
      "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
      "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
      "D1_ERROR: Network connection lost.",
      "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
      "D1_ERROR: Can't read from request stream because client disconnected.",
      "D1_ERROR: Failed to get session commit token: internal error",
      "D1_ERROR: database is locked: SQLITE_BUSY",
    ],
    lasting: [
      "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
      "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
      "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
      "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
      "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
      "D1_ERROR: Your account has exceeded D1's free tier daily row read limit. Upgrade to a paid plan or wait until tomorrow (midnight UTC) to continue.",
      "D1_ERROR: Your account has exceeded D1's maximum account storage limit, please contact Cloudflare to raise your limit",
      "D1_ERROR: Exceeded maximum DB size.",
      "D1_ERROR: No SQL statements detected.",
      "D1_ERROR: no such column: first at offset 7: SQLITE_ERROR",
      "D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'",
      "D1_COLUMN_NOTFOUND: Column not found (version)",
      "D1_EXEC_ERROR: Error in line 1: incomplete input",
    ],
  },
  kv: {
    transient: [
      "KV GET failed: 500 Internal Server Error",
      "KV PUT failed: 503 Service Temporarily Unavailable",
      "KV DELETE failed: 429 Too Many Requests",
      "Network connection lost.",
    ],
    lasting: [
      "KV GET failed: 400 Bad Request",
      "KV GET failed: 414 UTF-8 encoded length of 513 exceeds key length limit of 512.",
      "Too many API requests by single worker invocation.",
    ],
  },
};

/** The operations of a database or a namespace that fails so often, which are tried again. */
const OPERATIONS = {
  d1(work: () => Promise<object>) {
    const statement = { bind: () => ({ all: work }) };
    const database = { withSession: () => ({ prepare: () => statement }), prepare: () => "", batch: work };
    const { query, write } = bindDatabase(database as unknown as D1Database);
    return [() => query("", [], false), () => write([""])];
  },
  kv(work: () => Promise<object>) {
    const methods = { get: work, put: work, delete: work };
    const { get, put, delete: remove } = bindNamespace(methods as unknown as KVNamespace);
    return [() => get(["a"], 30), () => put([{ key: "a", value: "" }]), () => remove(["a"])];
  },
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe.each(["d1", "kv"] as const)("an operation of %s that fails with", (store) => {
  /** How often each operation is tried if the first attempts fail, and whether it succeeds in the end. */
  async function countAttempts(message: string, failures: number) {
    let attempts = 0;
    const operations = OPERATIONS[store](async () => {
      attempts += 1;
      if (attempts <= failures) throw new Error(message);
      return [{ results: [], meta: {} }];
    });
    const outcomes = [];
    for (const operation of operations) {
      attempts = 0;
      const outcome = operation().then(
        () => "done",
        (error: Error) => error.message,
      );
      await vi.advanceTimersByTimeAsync(SHORT_PAUSES.pausesMs);
      outcomes.push([await outcome, attempts]);
    }
    return outcomes;
  }

  test.each(MESSAGES[store].transient)("%s is tried again, for a second", async (message) => {
    for (const outcome of await countAttempts(message, 2)) expect(outcome).toEqual(["done", 3]);
    for (const [outcome, attempts] of await countAttempts(message, Number.POSITIVE_INFINITY)) {
      expect(outcome).toBe(message);
      // The fewest attempts whose pauses can add up to a second.
      expect(attempts).toBeGreaterThanOrEqual(5);
    }
  });

  test.each(MESSAGES[store].lasting)("%s is not tried again", async (message) => {
    for (const outcome of await countAttempts(message, 1)) expect(outcome).toEqual([message, 1]);
  });
});

test("the state of KV is written once, because another writer may have written it meanwhile", async () => {
  const put = vi.fn(() => Promise.reject(new Error("Network connection lost.")));
  const { replace } = bindNamespace({ put } as unknown as KVNamespace);
  await expect(replace({ key: "collection", value: "" })).rejects.toThrow("connection lost");
  expect(put).toHaveBeenCalledOnce();
});

test.each([
  [true, "first-primary"],
  [false, "first-unconstrained"],
])("a read of D1 with newest: %s uses a session that is %s", async (newest, constraint) => {
  const withSession = vi.fn(() => {
    throw new Error("enough");
  });
  const { query } = bindDatabase({ withSession } as unknown as D1Database);
  await expect(query("", [], newest)).rejects.toThrow("enough");
  expect(withSession).toHaveBeenCalledExactlyOnceWith(constraint);
});

test.each([
  [0, 30],
  [GRACE_MS, 86_400],
])("a location of KV keeps blocks of a state that is %i ms old for %i seconds", async (age, cacheTtl) => {
  const get = vi.fn(async (keys: string[]) => keys.map(() => ""));
  const { readBlocks } = createKvStore({ get } as unknown as KeyValueStore);
  const switchedAt = new Date(Date.now() - age).toISOString();
  await readBlocks({ ...NOTHING_LOADED, load: "a", count: 150, switchedAt }, { first: 1, last: 1 });
  expect(get).toHaveBeenCalledExactlyOnceWith(["blocks/a/1"], cacheTtl);
});

test("all keys of a namespace are listed, which KV returns in parts", async () => {
  const list = async ({ cursor }: { cursor: string | null }) =>
    cursor === "second"
      ? { keys: [{ name: "b" }], list_complete: true }
      : { keys: [{ name: "a" }], list_complete: false, cursor: "second" };
  expect(await bindNamespace({ list } as unknown as KVNamespace).list()).toEqual(["a", "b"]);
});
