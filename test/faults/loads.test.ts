import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { makeRecords } from "../records/sample.ts";
import { untilFresh } from "../serve.ts";
import { createLocalStore, interrupt, untilWriting } from "../tools/data/local-store.ts";
import { walk } from "../walk/walk.ts";
import { startWorker } from "../worker.ts";
import { PATH, writePage } from "./answers.ts";

const older = makeRecords(600).reverse();
const newer = makeRecords(1_000).reverse();
const PAGES = older.length / 15;

const local = createLocalStore();

async function load(store: StoreName, newestFirst: TrafficRecord[]): Promise<void> {
  const file = await local.write(`${store}.csv`, newestFirst);
  const { status, stderr } = await local.run("load", "--store", store, file);
  expect({ status, stderr }).toMatchObject({ status: 0 });
}

/** Kills a load, and all that it started, while it writes the blocks of a collection that is never served. */
async function killLoad(): Promise<void> {
  const file = await local.write("large.csv", makeRecords(20_000));
  const child = local.start("load", "--store", "kv", file);
  await untilWriting("kv", local, child);
  expect(await interrupt(child, "SIGKILL", true)).toEqual([null, "SIGKILL"]);
}

/** Four clients read page after page until they are stopped. Counts the responses of each state. */
async function walkOn(origin: string, stop: AbortSignal, mayBeNewer: () => boolean) {
  const seen = { older: 0, newer: 0 };
  const ask = async (page: number) => {
    const response = await fetch(`${origin}${PATH}?format=api&page=${page}`);
    const text = await response.text();
    if (text === writePage(origin, older, page)) seen.older += 1;
    else if (text === writePage(origin, newer, page) && mayBeNewer()) seen.newer += 1;
    else throw new Error(`Page ${page} is of no state: ${response.status} ${text.slice(0, 200)}`);
  };
  const walker = async () => {
    for (let page = 1; !stop.aborted; page = (page % PAGES) + 1) {
      await ask(page);
      await setTimeout(10); // The load needs CPU time too.
    }
  };
  await Promise.all(Array.from({ length: 4 }, walker));
  return seen;
}

// Each test starts several processes, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

test.each(STORE_NAMES)(
  "%s: a load replaces what four clients read, and one that was killed before does not matter",
  async (store) => {
    await load(store, older);
    if (store === "kv") await killLoad();
    const server = await startWorker({ folder: local.folder, vars: { STORE: store } });
    const stop = new AbortController();
    try {
      expect(await walk(server.origin)).toEqual(older);
      let loading = false;
      const replace = async () => {
        await setTimeout(500);
        loading = true;
        await load(store, newer);
        await untilFresh();
        await setTimeout(500);
        stop.abort();
      };
      const walked = walkOn(server.origin, stop.signal, () => loading);
      const [{ older: before, newer: after }] = await Promise.all([walked, replace()]);
      expect(before).toBeGreaterThan(0);
      expect(after).toBeGreaterThan(0);
      expect(await walk(server.origin)).toEqual(newer);
    } finally {
      stop.abort();
      await server.close();
    }
  },
);
