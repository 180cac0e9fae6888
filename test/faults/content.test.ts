import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import { STATE_KEY } from "../../src/store/kv.ts";
import { makeRecords } from "../records/sample.ts";
import { TRUST_MS } from "../serve.ts";
import { loadInto, type RunningWorker, startWorker, useWorker } from "../worker.ts";
import { ask, expectCollection, expectPage, expectUnavailable } from "./answers.ts";
import { loggedReasons } from "./logged.ts";

/** Two blocks, and 40 records in the tail: page 3 needs the tail and a block, page 4 a block. */
const records = makeRecords(2 * BLOCK_SIZE + 40).reverse();

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
    const damaged = `first = ${BLOCK_SIZE + 1} AND load = (SELECT load FROM state)`;
    const change = (expression: string) => `UPDATE blocks SET text = ${expression} WHERE ${damaged}`;
    const worker = useWorker();

    test.each<[string, string, string]>([
      ["missing", `DELETE FROM blocks WHERE ${damaged}`, "The store has no block at position 151"],
      ["empty", change("''"), "is damaged: it is not a JSON array with one record per line"],
      ["cut off", change("substr(text, 1, length(text) - 50)"), "is damaged"],
      ["without line feeds", change("replace(text, char(10), '')"), "is damaged"],
      ["not JSON", change("replace(text, '\"True\"', 'True')"), "A stored line is not JSON"],
      ["of other values", change("replace(text, '\"True\",', '')"), "A stored line is not a record"],
      [
        "a record short",
        change("'[' || substr(text, instr(text, '],') + 2)"),
        "The block at position 151 is damaged: it holds 149 of 150 records",
      ],
    ])("%s", async (_, sql, message) => {
      await loadInto(worker.env, "d1", records.toReversed());
      const { meta } = await worker.env.DB.prepare(sql).run();
      expect(meta.changes).toBe(1);
      const instance = { ...worker.env };
      await expectUnavailable(await ask(instance, 4));
      expectLogged(message);
      for (const page of [1, 23]) await expectPage(await ask(instance, page), records, page);
    });
  });
});

describe("KV", () => {
  const worker = useWorker({ vars: { STORE: "kv" } });
  let state: string;
  let block: string;
  beforeEach(async () => {
    // Without a state before the new one, there is none to serve instead.
    await worker.env.KV.delete(STATE_KEY);
    const { load } = await loadInto(worker.env, "kv", records.toReversed());
    state = await read(STATE_KEY);
    block = `blocks/${load}/${BLOCK_SIZE + 1}`;
  });

  const read = async (key: string) => String(await worker.env.KV.get(key));

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

  const put = (key: string, value: string) => worker.env.KV.put(key, value);

  test.each(["", "no JSON", "null", "7", "[]", "{}", '"state"', '{"load":"a","count":340'])(
    "the state %j: 503",
    async (text) => {
      await put(STATE_KEY, text);
      await expectUnavailable(await ask({ ...worker.env }));
      await expectUnavailable(await ask({ ...worker.env }, 2, { "If-None-Match": "*" }));
      expectLogged("KV holds");
    },
  );

  test.each(["load", "count", "tail", "revision", "previous", "sequence"])(
    "a state without %s: 503",
    async (name) => {
      await put(STATE_KEY, JSON.stringify({ ...JSON.parse(state), [name]: undefined }));
      await expectUnavailable(await ask({ ...worker.env }));
      expectLogged("KV holds a damaged state");
    },
  );

  test("a tail that is too short: 503 for its pages, the others are served", async () => {
    await put(STATE_KEY, JSON.stringify({ ...JSON.parse(state), tail: "" }));
    for (const page of [1, 3]) await expectUnavailable(await ask({ ...worker.env }, page));
    expectLogged("The state is damaged: its tail holds 0 of 40 records");
    await expectPage(await ask({ ...worker.env }, 4), records, 4);
  });

  test.each<[string, () => Promise<void>, string]>([
    ["missing", () => worker.env.KV.delete(block), "KV has no key blocks/"],
    ["empty", () => put(block, ""), "The block at position 151 is damaged"],
    [
      "no JSON",
      async () => put(block, (await read(block)).replaceAll("],", ",")),
      "A stored line is not JSON",
    ],
  ])("a block that is %s: 503 for its pages, the others are served", async (_, harm, message) => {
    await harm();
    const instance = { ...worker.env };
    for (const page of [3, 4]) await expectUnavailable(await ask(instance, page));
    expectLogged(message);
    for (const page of [1, 23]) await expectPage(await ask(instance, page), records, page);
  });

  test("the kept page is served while the store is broken, and the stored one once it is repaired", async () => {
    const instance = { ...worker.env };
    await expectPage(await ask(instance), records);
    await put(STATE_KEY, "no JSON");
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 100 * TRUST_MS);
    await expectPage(await ask(instance), records);
    await expectPage(await ask(instance, 2), records, 2);
    await expectUnavailable(await ask(instance, 4));
    const next = makeRecords(50).reverse();
    await put(STATE_KEY, state);
    await loadInto(worker.env, "kv", next.toReversed());
    vi.setSystemTime(Date.now() + TRUST_MS);
    await expectPage(await ask(instance), records);
    await vi.waitFor(async () => expectPage(await ask(instance), next));
    await expectCollection(worker.env, next);
  });
});
