import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { BLOCK_SIZE, blocksOf, STATE_KEY } from "../../src/store/blocks.ts";
import { FRESH_MS } from "../../src/store/memory.ts";
import type { State } from "../../src/store/store.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";
import { ask, expectCollection, expectPage, expectUnavailable } from "./answers.ts";
import { loggedReasons } from "./logged.ts";

/** What a store holds may be missing or broken; then an answer is 503 rather than a wrong page. */

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function expectLogged(message: string): void {
  expect(loggedReasons()).toContainEqual(expect.stringContaining(message));
}

describe("D1", () => {
  let worker: RunningWorker;
  afterEach(() => worker.close());

  test("without the tables: 503, but not where no record is needed", async () => {
    worker = await startWorker({ migrate: false });
    await expectUnavailable(await worker.fetch("/api/tf1/records/"));
    expect((await worker.fetch("/api/tf1/records/", { method: "OPTIONS" })).status).toBe(200);
    expect((await worker.fetch("/api/tf1/records/", { method: "POST" })).status).toBe(405);
    expect((await worker.fetch("/api/tf1/records/?page=0")).status).toBe(404);
  });

  test("without a state: 503, not an empty collection", async () => {
    worker = await startWorker();
    await worker.env.DB.prepare("DELETE FROM state").run();
    await expectUnavailable(await worker.fetch("/api/tf1/records/"));
    await expectUnavailable(await worker.fetch("/api/tf1/records/?page=99"));
    await expectUnavailable(await ask({ ...worker.env }, "last"));
    await expectUnavailable(await ask({ ...worker.env }, 1, { "If-None-Match": "*" }));
    expectLogged("D1 holds no state");
  });

  test("without a record: 503 for its page, every other page is served", async () => {
    worker = await startWorker();
    const records = makeRecords(40).reverse();
    await loadInto(worker.env, "d1", records.toReversed());
    await worker.env.DB.prepare("DELETE FROM records WHERE position = 20").run();
    await expectUnavailable(await ask(worker.env, 2));
    expectLogged("D1 holds 14 of the 15 records of page 2 of 40");
    for (const page of [1, 3]) await expectPage(await ask(worker.env, page), records, page);
  });
});

describe("KV", () => {
  const records = makeRecords(BLOCK_SIZE + 40).reverse();
  let worker: RunningWorker;
  let state: State;
  let newest: string;
  let oldest: string;
  beforeAll(async () => {
    worker = await startWorker({ vars: { STORE: "kv" } });
  });
  beforeEach(async () => {
    state = await loadInto(worker.env, "kv", records.toReversed());
    [newest = "", oldest = ""] = blocksOf(state, 1, state.count).map(({ key }) => key);
  });
  afterAll(() => worker.close());

  const read = async (key: string) => String(await worker.env.KV.get(key));
  const put = (key: string, value: string) => worker.env.KV.put(key, value);

  test("nothing was ever loaded: 503", async () => {
    await worker.env.KV.delete(STATE_KEY);
    await expectUnavailable(await ask({ ...worker.env }));
    await expectUnavailable(await ask({ ...worker.env }, "last"));
    await expectUnavailable(await ask({ ...worker.env }, 99));
    expectLogged("KV holds no state");
  });

  test.each([
    "",
    "no JSON",
    "null",
    "7",
    "[]",
    "{}",
    '"state"',
    '{"version":1}',
    '{"count":5}',
    '{"version":1,"count":-1}',
    '{"version":1,"count":1.5}',
    '{"version":1,"count":1e300}',
    '{"version":1,"count":"640"}',
    '{"version":"1","count":640}',
    '{"version":null,"count":null}',
    '{"version":1,"count":640',
  ])("the state %j: 503", async (text) => {
    await put(STATE_KEY, text);
    await expectUnavailable(await ask({ ...worker.env }));
    await expectUnavailable(await ask({ ...worker.env }, 2, { "If-None-Match": "*" }));
    expectLogged("KV holds");
  });

  test("a state whose blocks are not there: 503", async () => {
    await put(STATE_KEY, JSON.stringify({ ...state, version: state.version + 1_000 }));
    await expectUnavailable(await ask({ ...worker.env }));
    expectLogged(`KV lacks the block records/${state.version + 1_000}/`);
  });

  test.each<[string, () => Promise<void>, string]>([
    ["missing", () => worker.env.KV.delete(newest), "KV lacks the block"],
    ["empty", () => put(newest, ""), "KV holds 1 of 40 records in"],
    ["no JSON", async () => put(newest, (await read(newest)).replaceAll("}", "")), "text that is not JSON"],
    ["cut off", async () => put(newest, (await read(newest)).slice(0, -50)), "text that is not JSON"],
    [
      "a record short",
      async () => put(newest, (await read(newest)).replace(/\n.*/, "")),
      "KV holds 39 of 40 records in",
    ],
    [
      "a record too long",
      async () => put(newest, `${await read(newest)}\n${await read(newest)}`),
      "KV holds 80 of 40 records in",
    ],
  ])("a block that is %s: 503 for its pages, the others are served", async (_, harm, message) => {
    await harm();
    const instance = { ...worker.env };
    await expectUnavailable(await ask(instance, 3));
    expectLogged(message);
    for (const page of [4, 43]) await expectPage(await ask(instance, page), records, page);
  });

  test("a page that lies in two blocks needs both", async () => {
    await worker.env.KV.delete(oldest);
    await expectUnavailable(await ask({ ...worker.env }, 3));
    await expectPage(await ask({ ...worker.env }, 2), records, 2);
  });

  test("what is kept is served while the store is broken, and the store's once it is mended", async () => {
    const instance = { ...worker.env };
    await expectPage(await ask(instance), records);
    await put(STATE_KEY, "no JSON");
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 100 * FRESH_MS);
    await expectPage(await ask(instance), records);
    await expectUnavailable(await ask(instance, 2));
    const next = makeRecords(50).reverse();
    await loadInto(worker.env, "kv", next.toReversed());
    await expectPage(await ask(instance), next);
    await expectCollection(worker.env, next);
  });
});
