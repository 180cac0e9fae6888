import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import { FRESH_MS } from "../../src/store/cache.ts";
import { blockKey, parseState, STATE_KEY } from "../../src/store/kv-state.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, type RunningWorker, startWorker, useWorker } from "../worker.ts";
import { ask, expectCollection, expectPage, expectUnavailable } from "./answers.ts";
import { loggedReasons } from "./logged.ts";

/** If a part of the store is missing or damaged, the response is 503, never a wrong page. */

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

  test("without the tables, only requests that need records return 503", async () => {
    worker = await startWorker({ migrate: false });
    await expectUnavailable(await worker.fetch("/api/tf1/records/"));
    expect((await worker.fetch("/api/tf1/records/", { method: "OPTIONS" })).status).toBe(200);
    expect((await worker.fetch("/api/tf1/records/", { method: "POST" })).status).toBe(405);
    expect((await worker.fetch("/api/tf1/records/?page=0")).status).toBe(404);
  });

  test("without a state, the response is 503 and not an empty collection", async () => {
    worker = await startWorker();
    await worker.env.DB.prepare("DELETE FROM state").run();
    await expectUnavailable(await worker.fetch("/api/tf1/records/"));
    await expectUnavailable(await worker.fetch("/api/tf1/records/?page=99"));
    await expectUnavailable(await ask({ ...worker.env }, "last"));
    await expectUnavailable(await ask({ ...worker.env }, 1, { "If-None-Match": "*" }));
    expectLogged("D1 holds no state");
  });

  describe("with a damaged block, the pages that need it return 503 and all others are served", () => {
    const records = makeRecords(BLOCK_SIZE + 40).reverse();
    const newest = `first = ${BLOCK_SIZE + 1} AND revision = (SELECT revision FROM state)`;
    const change = (expression: string) => `UPDATE blocks SET text = ${expression} WHERE ${newest}`;
    const worker = useWorker();

    test.each<[string, string, string]>([
      ["missing", `DELETE FROM blocks WHERE ${newest}`, "holds 0 records, 40 are needed"],
      ["empty", change("''"), "is damaged: it is not a JSON array with one record per line"],
      ["cut off", change("substr(text, 1, length(text) - 50)"), "is damaged"],
      ["without line feeds", change("replace(text, char(10), '')"), "is damaged"],
      ["not JSON", change("replace(text, '\"True\"', 'True')"), "contains a line that is not JSON"],
      ["of other values", change("replace(text, '\"True\",', '')"), "contains a line that is not a record"],
      [
        "a record short",
        change("'[' || substr(text, instr(text, '],') + 2)"),
        `The block at position ${BLOCK_SIZE + 1} is damaged: it holds 39 of 40 records`,
      ],
    ])("%s", async (_, sql, message) => {
      await loadInto(worker.env, "d1", records.toReversed());
      const { meta } = await worker.env.DB.prepare(sql).run();
      expect(meta.changes).toBe(1);
      const instance = { ...worker.env };
      await expectUnavailable(await ask(instance, 1));
      expectLogged(message);
      for (const page of [4, 43]) await expectPage(await ask(instance, page), records, page);
    });
  });
});

describe("KV", () => {
  const records = makeRecords(BLOCK_SIZE + 40).reverse();
  const worker = useWorker({ vars: { STORE: "kv" } });
  let state: string;
  let newest: string;
  let oldest: string;
  beforeEach(async () => {
    await loadInto(worker.env, "kv", records.toReversed());
    state = await read(STATE_KEY);
    newest = blockKey(parseState(state), BLOCK_SIZE + 1);
    oldest = blockKey(parseState(state), 1);
  });

  const read = async (key: string) => String(await worker.env.KV.get(key));
  const put = (key: string, value: string) => worker.env.KV.put(key, value);

  test("an empty namespace is an empty collection", async () => {
    await worker.env.KV.delete(STATE_KEY);
    const empty = '{"count":0,"next":null,"previous":null,"results":[]}';
    for (const page of [1, "last"] as const) {
      const response = await ask({ ...worker.env }, page);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(empty);
    }
    expect((await ask({ ...worker.env }, 99)).status).toBe(404);
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
    '{"version":1,"count":640,"revision":"a"}',
    '{"version":1,"count":640,"revision":7,"parts":[]}',
    '{"version":1,"count":640,"revision":"a","parts":{}}',
  ])("the state %j: 503", async (text) => {
    await put(STATE_KEY, text);
    await expectUnavailable(await ask({ ...worker.env }));
    await expectUnavailable(await ask({ ...worker.env }, 2, { "If-None-Match": "*" }));
    expectLogged("KV holds");
  });

  test("a state without its blocks returns 503", async () => {
    const parts = [[1, "000000000other"]];
    await put(STATE_KEY, JSON.stringify({ ...JSON.parse(state), parts }));
    await expectUnavailable(await ask({ ...worker.env }));
    expectLogged("KV has no key blocks/000000000other/601");
  });

  test.each<[string, () => Promise<void>, string]>([
    ["missing", () => worker.env.KV.delete(newest), "KV has no key blocks/"],
    ["empty", () => put(newest, ""), "The block at position 601 is damaged"],
    [
      "no JSON",
      async () => put(newest, (await read(newest)).replaceAll("],", ",")),
      "a line that is not JSON",
    ],
    ["cut off", async () => put(newest, (await read(newest)).slice(0, -50)), "position 601 is damaged"],
    [
      "a record short",
      async () => put(newest, (await read(newest)).replace(/\n.*/, "")),
      "The block at position 601 is damaged: it holds 39 of 40 records",
    ],
  ])("a block that is %s: 503 for its pages, the others are served", async (_, harm, message) => {
    await harm();
    const instance = { ...worker.env };
    await expectUnavailable(await ask(instance, 1));
    expectLogged(message);
    for (const page of [4, 43]) await expectPage(await ask(instance, page), records, page);
  });

  test("a page in two blocks returns 503 if one is missing", async () => {
    await worker.env.KV.delete(oldest);
    await expectUnavailable(await ask({ ...worker.env }, 3));
    await expectPage(await ask({ ...worker.env }, 2), records, 2);
  });

  test("the kept page is served while the store is broken, and the stored one once it is repaired", async () => {
    const instance = { ...worker.env };
    await expectPage(await ask(instance), records);
    await put(STATE_KEY, "no JSON");
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 100 * FRESH_MS);
    await expectPage(await ask(instance), records);
    await expectPage(await ask(instance, 2), records, 2);
    await expectUnavailable(await ask(instance, 4));
    const next = makeRecords(50).reverse();
    await put(STATE_KEY, state);
    await loadInto(worker.env, "kv", next.toReversed());
    vi.setSystemTime(Date.now() + FRESH_MS);
    await expectPage(await ask(instance), records);
    await vi.waitFor(async () => expectPage(await ask(instance), next));
    await expectCollection(worker.env, next);
  });
});
