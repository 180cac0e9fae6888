import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { listKeys, runBulk } from "../../../data/targets/kv/namespace.ts";
import { kvTarget } from "../../../data/targets/kv.ts";
import { STATE_KEY } from "../../../src/store/blocks.ts";
import { writePairs } from "../../../src/store/kv-pairs.ts";
import { makeRecords } from "../../records/sample.ts";
import { createLocalStore, type LocalStore } from "../local-store.ts";
import { statisticsOf } from "../statistics.ts";

const VERSION = 1_700_000_000_000;
const records = makeRecords(730);

let local: LocalStore;
beforeAll(async () => {
  local = await createLocalStore();
});
afterAll(() => local.remove());

const place = () => ({ persistTo: local.folder });

/** The state as a load leaves it that ended so many seconds ago. */
const stateOf = (count: number, secondsAgo: number) => {
  const loaded_at = new Date(Date.now() - secondsAgo * 1_000).toISOString();
  return { key: STATE_KEY, value: JSON.stringify({ version: VERSION, count, loaded_at }) };
};

async function append(from: number, to: number): Promise<void> {
  const loaded = {
    state: { version: VERSION, count: from },
    statistics: statisticsOf(records.slice(0, from)),
  };
  await kvTarget.append(records.slice(from, to), loaded, to, place(), () => {});
}

// Some twenty runs of wrangler, which take long on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

test("what an append replaced is removed by the next one, two minutes later, and not before", async () => {
  const pairs = [...writePairs(records.slice(0, 650), { version: VERSION, count: 650 })];
  const left = { key: "records/1600000000000/1-600", value: "left by an interrupted load" };
  const other = { key: "notes", value: "of somebody else" };
  await runBulk("put", [...pairs, left, other, stateOf(650, 90)], place());

  const block = (range: string) => `records/${VERSION}/${range}`;
  const statistics = (count: number) => `statistics/${VERSION}/${count}`;
  const kept = [other.key, block("1-600"), STATE_KEY];
  const before = [block("601-650"), statistics(650), left.key];
  const after = [block("601-700"), statistics(700)];
  await append(650, 700);
  expect((await listKeys(place())).sort()).toEqual([...kept, ...before, ...after].sort());

  await runBulk("put", [stateOf(700, 121)], place());
  await append(700, 730);
  expect((await listKeys(place())).sort()).toEqual(
    [...kept, ...after, block("601-730"), statistics(730)].sort(),
  );
});
