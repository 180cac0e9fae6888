import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import type { Page, TrafficRecord } from "../../src/records/record.ts";
import { PATH } from "../http-suite/exchange.ts";
import { makeRecords } from "../records/sample.ts";
import { untilServed } from "../serve.ts";
import { createDataFolder, interrupt, untilWriting } from "../tools/data/data-folder.ts";
import { walk } from "../walk/walk.ts";
import { startWorker } from "../worker.ts";

const older = makeRecords(600).reverse();
const newer = makeRecords(1_000).reverse();
const PAGES = older.length / 15;

const local = createDataFolder();

async function load(store: StoreName, newestFirst: TrafficRecord[]): Promise<void> {
  const file = await local.write(`${store}.csv`, newestFirst);
  const { status, stderr } = await local.run("load", "--store", store, file);
  expect({ status, stderr }).toMatchObject({ status: 0 });
}

/** Kills a load while it writes blocks that are never served. */
async function killWrite(store: StoreName): Promise<void> {
  const child = local.start("load", "--store", store, await local.write("large.csv", makeRecords(40_000)));
  await untilWriting(store, local, child);
  expect(await interrupt(child, "SIGKILL")).toEqual([null, "SIGKILL"]);
}

/** Four clients read page after page until they are stopped. Returns the counts of the states that they saw. */
async function readOn(origin: string, stop: AbortSignal): Promise<Set<number>> {
  const seen = new Set<number>();
  const readPage = async (number: number) => {
    const page = (await (await fetch(`${origin}${PATH}?page=${number}`)).json()) as Page;
    const records = page.count === older.length ? older : newer;
    expect(page.results).toEqual(records.slice(15 * (number - 1), 15 * number));
    seen.add(page.count);
  };
  const client = async () => {
    for (let page = 1; !stop.aborted; page = (page % PAGES) + 1) {
      await readPage(page);
      await setTimeout(10); // The load needs CPU time too.
    }
  };
  await Promise.all(Array.from({ length: 4 }, client));
  return seen;
}

test.each(STORE_NAMES)(
  "%s: a load replaces what four clients read, and a write that was killed before does not matter",
  async (store) => {
    await load(store, older);
    await killWrite(store);
    const server = await startWorker({ folder: local.folder, vars: { STORE: store } });
    const stop = new AbortController();
    try {
      expect(await walk(server.origin)).toEqual(older);
      const replace = async () => {
        await load(store, newer);
        await untilServed(server.origin);
        stop.abort();
      };
      const [seen] = await Promise.all([readOn(server.origin, stop.signal), replace()]);
      expect(seen).toContain(older.length);
      expect(await walk(server.origin)).toEqual(newer);
    } finally {
      stop.abort();
      await server.close();
    }
  },
);
