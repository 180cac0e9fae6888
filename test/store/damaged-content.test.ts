import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import { createCachedStore } from "../../src/store/cache.ts";
import { STATE_KEY } from "../../src/store/kv.ts";
import type { Store } from "../../src/store/store.ts";
import { load } from "../../src/store/writer.ts";
import { makeRecords } from "../records/sample.ts";
import { resultsOf, waitUntil } from "./reader.ts";
import { useStores } from "./stores.ts";

// If a part of a store is missing or damaged, its pages are errors, never wrong pages, and all others are served.

/** Two blocks, and 40 records in the tail: page 3 needs the tail and the second block, page 4 that block, page 23 the first. */
const records = makeRecords(2 * BLOCK_SIZE + 40);
const DAMAGED = BLOCK_SIZE + 1;
const PAGES = [1, 3, 4, 23];

const stores = useStores();

async function expectPages(store: Store, broken: number[], message: string | RegExp): Promise<void> {
  const cache = createCachedStore(store, "test");
  for (const page of broken) await expect(cache.page({ page }, waitUntil)).rejects.toThrow(message);
  for (const page of PAGES.filter((page) => !broken.includes(page)))
    expect(await cache.page({ page }, waitUntil)).toMatchObject({ results: resultsOf(records, page) });
}

describe("in D1, a block that is", () => {
  const damaged = `first = ${DAMAGED} AND load = (SELECT load FROM state)`;
  const change = (expression: string) => `UPDATE blocks SET text = ${expression} WHERE ${damaged}`;

  test.each<[string, string, string]>([
    ["missing", `DELETE FROM blocks WHERE ${damaged}`, "The store has no block at position 151"],
    ["cut off", change("substr(text, 1, length(text) - 50)"), "is damaged"],
    ["not JSON", change("replace(text, '\"True\"', 'True')"), "A stored line is not JSON"],
    ["of other values", change("replace(text, '\"True\",', '')"), "A stored line is not a record"],
  ])("%s", async (_, sql, message) => {
    await load(stores.open("d1"), records);
    expect(await stores.database.write([sql])).toBe(1);
    await expectPages(stores.open("d1"), [3, 4], message);
  });
});

test.each([
  ["missing", "DELETE FROM statistics"],
  ["damaged", "UPDATE statistics SET text = substr(text, 2)"],
])("in D1, statistics that are %s are an error", async (what, sql) => {
  await load(stores.open("d1"), records);
  await stores.database.write([sql]);
  const reading = stores.open("d1").readStatistics(true);
  await expect(reading).rejects.toThrow(
    new RegExp(`^The statistics are ${what}.*Load the records again\\.$`),
  );
});

test("in D1, a missing state is an error, and not an empty collection", async () => {
  await stores.database.write(["DELETE FROM state"]);
  await expectPages(stores.open("d1"), [...PAGES, 99], "D1 holds no state");
});

describe("in KV,", () => {
  let state: object;
  let block: string;
  beforeAll(async () => {
    const loaded = await load(stores.open("kv"), records);
    // Without a state before the new one, there is none to serve instead.
    state = { ...loaded, before: undefined };
    block = `blocks/${loaded.load}/${DAMAGED}`;
  });
  const put = (key: string, value: string) => stores.namespace.put([{ key, value }]);
  beforeEach(() => put(STATE_KEY, JSON.stringify(state)));

  test.each(["", "no JSON", "null", "7", "[]", "{}", '"state"', '{"load":"a","count":340'])(
    "the state %j is damaged",
    async (text) => {
      await put(STATE_KEY, text);
      await expectPages(stores.open("kv"), [...PAGES, 99], "KV holds");
    },
  );

  test.each(["load", "count", "tail", "revision", "previous", "sequence"])(
    "a state without %s is damaged",
    async (name) => {
      await put(STATE_KEY, JSON.stringify({ ...state, [name]: undefined }));
      await expectPages(stores.open("kv"), PAGES, "KV holds a damaged state");
    },
  );

  test("a tail that is too short is damaged", async () => {
    await put(STATE_KEY, JSON.stringify({ ...state, tail: "" }));
    await expectPages(stores.open("kv"), [1, 3], "The state is damaged: its tail holds 0 of 40 records");
  });

  test.each<[string, (text: string) => string | undefined, string]>([
    ["not JSON", (text) => text.replaceAll("],", ","), "A stored line is not JSON"],
    ["empty", () => "", "The block at position 151 is damaged"],
    ["missing", () => undefined, "KV has no key blocks/"],
  ])("a block that is %s", async (_, change, message) => {
    const [text] = await stores.namespace.get([block], 30);
    const changed = change(String(text));
    if (changed === undefined) await stores.namespace.delete([block]);
    else await put(block, changed);
    await expectPages(stores.open("kv"), [3, 4], message);
  });
});
