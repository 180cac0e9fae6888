import type { D1Database, KVNamespace } from "@cloudflare/workers-types";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { bindDatabase } from "../../src/store/d1.ts";
import { bindNamespace, createKvStore } from "../../src/store/kv.ts";
import { createSharing, HANGS_AFTER_MS, limitTime, retry, SHORT_PAUSES } from "../../src/store/retry.ts";

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
      "KV GET failed: 429 Too Many Requests",
      "Network connection lost.",
    ],
    lasting: [
      "KV GET failed: 400 Bad Request",
      "KV GET failed: 414 UTF-8 encoded length of 513 exceeds key length limit of 512.",
      "Too many API requests by single worker invocation.",
    ],
  },
};

/** The read of a database or a namespace whose calls do this. */
const READS = {
  d1(work: () => Promise<object>) {
    const statement = { bind: () => ({ all: work }) };
    const database = { withSession: () => ({ prepare: () => statement }) };
    return () => bindDatabase(database as unknown as D1Database).query("", [], false);
  },
  kv: (work: () => Promise<object>) => () =>
    bindNamespace({ get: work } as unknown as KVNamespace).get(["a"], 30),
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe.each(["d1", "kv"] as const)("a read of %s that fails with", (store) => {
  /** How often a read is tried if the first attempts fail, and how it ends. */
  async function countAttempts(message: string, failures: number) {
    let attempts = 0;
    const read = READS[store](async () => {
      attempts += 1;
      if (attempts <= failures) throw new Error(message);
      return { results: [] };
    });
    const outcome = read().then(
      () => "done",
      (error: Error) => error.message,
    );
    await vi.advanceTimersByTimeAsync(SHORT_PAUSES.pausesMs);
    return { outcome: await outcome, attempts };
  }

  test.each(MESSAGES[store].transient)("%s is tried again, for a second", async (message) => {
    expect(await countAttempts(message, 2)).toEqual({ outcome: "done", attempts: 3 });
    const { outcome, attempts } = await countAttempts(message, Number.POSITIVE_INFINITY);
    expect(outcome).toBe(message);
    // The fewest attempts whose pauses can add up to a second.
    expect(attempts).toBeGreaterThanOrEqual(5);
  });

  test.each(MESSAGES[store].lasting)("%s is not tried again", async (message) => {
    expect(await countAttempts(message, 1)).toEqual({ outcome: message, attempts: 1 });
  });
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

test("a location of KV keeps the state for 30 seconds, and blocks, which never change, for a day", async () => {
  const get = vi.fn(async () => null);
  const { readState, readBlocks } = createKvStore(bindNamespace({ get } as unknown as KVNamespace));
  await readState(1);
  await readBlocks("a", [1]);
  expect(get.mock.calls).toEqual([
    ["state", { type: "text", cacheTtl: 30 }],
    ["block/a/1", { type: "text", cacheTtl: 86_400 }],
  ]);
});

/** The times of the attempts of an operation that takes a second and fails so often, and its outcome. */
async function record(failures: number) {
  vi.spyOn(Math, "random").mockReturnValue(1);
  const begin = Date.now();
  const times: number[] = [];
  const operation = async () => {
    times.push(Date.now() - begin);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    if (times.length <= failures) throw new Error("busy");
    return "done";
  };
  const outcome = retry(operation, { isTransient: () => true, ...SHORT_PAUSES }).catch(String);
  await vi.advanceTimersByTimeAsync(60_000);
  return { times, outcome: await outcome };
}

test("the pauses double up to a second in all, however long the attempts take", async () => {
  expect(await record(100)).toEqual({ times: [0, 1_040, 2_120, 3_280, 4_600], outcome: "Error: busy" });
});

test("work that hangs is given up after three seconds", async () => {
  const onLate = vi.fn();
  const outcome = limitTime(new Promise(() => {}), onLate).catch(String);
  await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS - 1);
  expect(onLate).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onLate).toHaveBeenCalledOnce();
  expect(await outcome).toBe(`Error: The store did not respond within ${HANGS_AFTER_MS} ms`);
});

test("work that ends in time leaves no timer behind", async () => {
  expect(await limitTime(Promise.resolve(1))).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("concurrent reads of the same thing are one read, and those that wait do not wait forever", async () => {
  const share = createSharing();
  const read = vi.fn(() => new Promise<number>(() => {}));
  const outlive = vi.fn();
  share("page", read, outlive).catch(() => undefined);
  const follower = share("page", read, outlive).catch(String);
  expect(read).toHaveBeenCalledOnce();
  expect(outlive, "the work may continue after the request").toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(HANGS_AFTER_MS);
  expect(await follower).toContain("did not respond");
  read.mockResolvedValue(2);
  expect(await share("page", read, outlive), "it is read again").toBe(2);
});
