import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import { HANGS_AFTER_MS, SHORT_PAUSES } from "../../src/store/retry.ts";
import { makeRecords } from "../records/sample.ts";
import { TRUST_MS } from "../serve.ts";
import { loadInto, useWorker } from "../worker.ts";
import { ask, expectPage, expectUnavailable } from "./answers.ts";
import { type Faulty, failing, hanging, openFaulty } from "./faulty.ts";
import { loggedReasons } from "./logged.ts";

/**
 * Messages that the vendor documents ("Debug D1", the changelog of September 2026) or that the runtime throws, and
 * whether the same read can succeed a moment later.
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
      "KV GET failed: 503 Service Temporarily Unavailable",
      "KV GET failed: 429 Too Many Requests",
      "Network connection lost.",
    ],
    lasting: [
      "KV GET failed: 400 Bad Request",
      "KV GET failed: 414 UTF-8 encoded length of 513 exceeds key length limit of 512.",
      "Too many API requests by single worker invocation.",
    ],
  },
} as const;

/** The fewest attempts whose pauses can add up to SHORT_PAUSES.pausesMs. */
const FEWEST_ATTEMPTS = 5;

// If a fake clock is not moved far enough, a test waits for ever. It fails after ten seconds instead of three minutes.
vi.setConfig({ testTimeout: 10_000 });

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe.each(["d1", "kv"] as const)("%s", (store) => {
  /** Page 2 begins in the tail and ends in the block. */
  const records = makeRecords(BLOCK_SIZE + 20).reverse();
  const { transient, lasting } = MESSAGES[store];
  /** Reads for one page: KV stores the state under a key of its own. */
  const reads = store === "kv" ? 2 : 1;

  const worker = useWorker({ vars: { STORE: store } });
  beforeAll(async () => {
    await loadInto(worker.env, store, records.toReversed());
  });

  let faulty: Faulty;
  beforeEach(() => {
    faulty = openFaulty(worker.env);
  });

  function freezeTime(): void {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  }

  /** Keeps page 2 in the memory of the instance and lets its freshness pass. */
  async function keepPage2(): Promise<void> {
    await expectPage(await ask(faulty.env, 2), records, 2);
    freezeTime();
    vi.setSystemTime(Date.now() + TRUST_MS);
  }

  /** The answer to a request for page 2, and after how many milliseconds it came, of a time that only we move. */
  async function askFor(milliseconds: number): Promise<{ response: Response; took: number }> {
    const begun = Date.now();
    const answer = ask(faulty.env, 2).then((response) => ({ response, took: Date.now() - begun }));
    await vi.advanceTimersByTimeAsync(milliseconds);
    return answer;
  }

  describe.each(transient)("%s", (message) => {
    test.each([1, 2])("%i times: the page is served, and clients see only the delay", async (times) => {
      faulty.cause(failing(message, times));
      await expectPage(await ask(faulty.env, 2), records, 2);
      expect(faulty.attempts()).toBe(times + reads);
    });

    test("always: 503, after several attempts within a second", async () => {
      freezeTime();
      faulty.cause(failing(message));
      const { response, took } = await askFor(SHORT_PAUSES.pausesMs);
      await expectUnavailable(response);
      expect(took).toBeLessThanOrEqual(SHORT_PAUSES.pausesMs);
      expect(faulty.attempts()).toBeGreaterThanOrEqual(FEWEST_ATTEMPTS);
      expect(loggedReasons()).toEqual([`Error: ${message}`]);
    });

    test("always: the cached page is served", async () => {
      await keepPage2();
      faulty.cause(failing(message));
      const { response } = await askFor(SHORT_PAUSES.pausesMs);
      await expectPage(response, records, 2);
    });
  });

  describe.each(lasting)("%s", (message) => {
    test("503 after one attempt, and the page as soon as the store works", async () => {
      faulty.cause(failing(message));
      await expectUnavailable(await ask(faulty.env, 2));
      expect(faulty.attempts()).toBe(1);
      expect(loggedReasons()).toEqual([`Error: ${message}`]);
      faulty.cause(failing(message, 0));
      await expectPage(await ask(faulty.env, 2), records, 2);
    });

    test("the cached page after one attempt, and after none while it is fresh", async () => {
      await expectPage(await ask(faulty.env, 2), records, 2);
      faulty.cause(failing(message));
      await expectPage(await ask(faulty.env, 2), records, 2);
      expect(faulty.attempts()).toBe(0);
      freezeTime();
      vi.setSystemTime(Date.now() + TRUST_MS);
      await expectPage(await ask(faulty.env, 2), records, 2);
      expect(faulty.attempts()).toBe(1);
    });
  });

  describe("a store that hangs", () => {
    test("causes 503 after three seconds and one attempt", async () => {
      freezeTime();
      faulty.cause(hanging);
      const { response, took } = await askFor(HANGS_AFTER_MS);
      await expectUnavailable(response);
      expect(took).toBe(HANGS_AFTER_MS);
      expect(faulty.attempts()).toBe(1);
    });

    test("is replaced by the cached page after three seconds, and at once from then on", async () => {
      await keepPage2();
      faulty.cause(hanging);
      const { response, took } = await askFor(HANGS_AFTER_MS);
      await expectPage(response, records, 2);
      expect(took).toBe(HANGS_AFTER_MS);
      const next = await askFor(0);
      await expectPage(next.response, records, 2);
      expect(next.took).toBe(0);
      expect(faulty.attempts()).toBe(1);
    });

    test("does not delay later requests", async () => {
      freezeTime();
      faulty.cause(hanging);
      await expectUnavailable((await askFor(HANGS_AFTER_MS)).response);
      vi.useRealTimers();
      faulty.cause(failing("", 0));
      await expectPage(await ask(faulty.env, 2), records, 2);
    });
  });

  test("a store that fails is read once in five seconds, and cached pages are served meanwhile", async () => {
    await keepPage2();
    faulty.cause(failing(lasting[0]));
    for (const attempts of [1, 2, 3]) {
      for (let request = 0; request < 10; request++) await expectPage(await ask(faulty.env, 2), records, 2);
      await vi.advanceTimersByTimeAsync(0);
      expect(faulty.attempts()).toBe(attempts);
      expect(loggedReasons()).toEqual(Array(attempts).fill(`Error: ${lasting[0]}`));
      vi.setSystemTime(Date.now() + TRUST_MS);
    }
  });

  test("once the store works again, the new state is served", async () => {
    const own = { ...worker.env };
    const instance = openFaulty(own);
    await expectPage(await ask(instance.env, 2), records, 2);
    freezeTime();
    vi.setSystemTime(Date.now() + TRUST_MS);
    instance.cause(failing(lasting[0]));
    await expectPage(await ask(instance.env, 2), records, 2);
    instance.cause(failing("", 0));
    vi.setSystemTime(Date.now() + TRUST_MS);
    await expectPage(await ask(instance.env, 2), records, 2);
    vi.useRealTimers();
    await vi.waitFor(() => expect(instance.attempts()).toBe(1));
    instance.cause(failing(lasting[0]));
    await expectPage(await ask(instance.env, 2), records, 2);
    expect(instance.attempts()).toBe(0);
  });

  test("a conditional request gets 304 for the cached state, and 503 if none is cached", async () => {
    const etag = (await ask(faulty.env, 2)).headers.get("etag") ?? "";
    freezeTime();
    vi.setSystemTime(Date.now() + TRUST_MS);
    faulty.cause(failing(lasting[0]));
    expect((await ask(faulty.env, 2, { "If-None-Match": etag })).status).toBe(304);
    const other = openFaulty(worker.env);
    other.cause(failing(lasting[0]));
    await expectUnavailable(await ask(other.env, 2, { "If-None-Match": etag }));
  });
});
