import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import { BLOCK_SIZE } from "../../src/store/blocks.ts";
import { bundleWorker } from "../bundled-worker.ts";
import { makeRecords } from "../records/sample.ts";
import { TRUST_MS, untilFresh } from "../serve.ts";
import { loadInto, type RunningWorker, startWorker, useWorker } from "../worker.ts";
import { ask, expectPage, expectUnavailable, ORIGIN, PATH, writePage } from "./answers.ts";
import { type Faulty, failing, openFaulty, READ_MS, slow } from "./faulty.ts";

describe.each(STORE_NAMES)("%s", (store) => {
  /** Pages 3 to 11 lie in one block, page 12 in two. */
  const records = makeRecords(3 * BLOCK_SIZE + 20).reverse();
  /** Reads for one page: KV stores the state under a key of its own. */
  const reads = store === "kv" ? 2 : 1;

  const worker = useWorker({ vars: { STORE: store } });
  beforeEach(async () => {
    await loadInto(worker.env, store, records.toReversed());
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  describe("50 requests at once, to one instance", () => {
    let faulty: Faulty;
    beforeEach(() => {
      faulty = openFaulty(worker.env);
      faulty.cause(slow(20));
    });
    const askAll = (page: (index: number) => number) =>
      Promise.all(Array.from({ length: 50 }, (_, index) => ask(faulty.env, page(index))));

    test("for one page read the store once", async () => {
      for (const response of await askAll(() => 2)) await expectPage(response, records, 2);
      expect(faulty.attempts()).toBe(reads);
    });

    test("for five pages read the store five times", async () => {
      const responses = await askAll((index) => (index % 5) + 3);
      for (const [index, response] of responses.entries())
        await expectPage(response, records, (index % 5) + 3);
      expect(faulty.attempts()).toBe(5 * reads);
    });

    test("for pages of a cached block do not read the store", async () => {
      await ask(faulty.env, 3);
      faulty.cause(slow(20));
      const responses = await askAll((index) => (index % 6) + 3);
      for (const [index, response] of responses.entries())
        await expectPage(response, records, (index % 6) + 3);
      expect(faulty.attempts()).toBe(0);
    });

    test("for a page of two blocks, one of which is cached, read the other block once, and not the state", async () => {
      await ask(faulty.env, 3);
      faulty.cause(slow(20));
      for (const response of await askAll(() => 12)) await expectPage(response, records, 12);
      expect(faulty.attempts()).toBe(1);
    });

    test("for a cached page that is no longer fresh read the state once", async () => {
      await ask(faulty.env, 2);
      vi.useFakeTimers({ toFake: ["Date"] });
      vi.setSystemTime(Date.now() + TRUST_MS);
      faulty.cause(slow(20));
      for (const response of await askAll(() => 2)) await expectPage(response, records, 2);
      expect(faulty.attempts()).toBe(1);
    });

    test("fail together, and the next request reads the store again", async () => {
      vi.spyOn(console, "error").mockImplementation(() => undefined);
      faulty.cause(failing("the store is broken", reads));
      for (const response of await askAll(() => 2)) await expectUnavailable(response);
      faulty.cause(slow(20));
      await expectPage(await ask(faulty.env, 2), records, 2);
    });

    test("during a load return the old or the new state, and later only the new one", async () => {
      const next = makeRecords(800).reverse();
      const states = [records, next];
      const pageOf = (index: number) => (index % 30) + 1;
      /** Which of the states each response is of; -1 if of neither. */
      const identify = (responses: Response[]) =>
        Promise.all(
          responses.map(async (response, index) => {
            const text = await response.text();
            return states.findIndex((state) => writePage(ORIGIN, state, pageOf(index)) === text);
          }),
        );
      // The reads of the last requests are held back until the load is done, however long that takes: the time after
      // which the worker gives up a read does not pass.
      vi.useFakeTimers({ toFake: ["setTimeout"] });
      const loaded = Promise.withResolvers<void>();
      faulty.cause((attempt) => (attempt > 10 ? loaded.promise : undefined));
      const during = askAll(pageOf);
      await loadInto(worker.env, store, next.toReversed());
      loaded.resolve();
      const seen = await identify(await during);
      expect(new Set(seen)).toEqual(new Set([0, 1]));
      vi.useFakeTimers({ toFake: ["Date"] });
      vi.setSystemTime(Date.now() + TRUST_MS);
      expect(new Set(await identify(await askAll(pageOf)))).toEqual(new Set([1]));
    });
  });
});

describe("the first client goes away", () => {
  const records = makeRecords(6 * BLOCK_SIZE).reverse();
  let runtime: RunningWorker;
  beforeAll(async () => {
    runtime = await startWorker({
      script: await bundleWorker("test/faults/slow-worker.ts"),
      vars: { STORE: "kv" },
    });
    await loadInto(runtime.env, "kv", records.toReversed());
  });
  afterAll(() => runtime?.close());

  const fetchPage = (page: number) => fetch(`${runtime.origin}${PATH}?format=api&page=${page}`);
  const countReads = async () => Number(await (await fetch(`${runtime.origin}/reads`)).text());

  test.each([1, 21, 41])(
    "the others get page %i from the same read, and nobody hangs later",
    async (page) => {
      await untilFresh();
      const before = await countReads();
      const leave = await askAndStay(runtime.origin, page);
      await setTimeout(READ_MS / 4);
      const others = Array.from({ length: 20 }, () => fetchPage(page));
      await setTimeout(READ_MS / 4);
      leave();
      for (const response of await Promise.all(others)) {
        expect(response.status).toBe(200);
        expect(await response.text()).toBe(writePage(runtime.origin, records, page));
      }
      expect(await countReads(), "the state and the block").toBe(before + 2);
      expect((await fetchPage(page)).status).toBe(200);
    },
  );
});

/** Requests a page without reading the response. Returns a function that closes the connection. */
async function askAndStay(origin: string, page: number): Promise<() => void> {
  const { hostname, port, host } = new URL(origin);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(`GET ${PATH}?format=api&page=${page} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  return () => socket.resetAndDestroy();
}
