import { beforeAll, describe, expect, test } from "vitest";
import { stage } from "../../../data/staging.ts";
import { STORE_NAMES, type StoreName } from "../../../data/stores/configuration.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { committedFiles } from "../../data/committed-seed.ts";
import { loadInto, startWorker, useWorker } from "../../worker.ts";
import { checkQuickly, QUICK, rulesOf } from "./quick-check.ts";

/** A worker that has just started responds slowly. */
const SLOW_START = { ...QUICK, timeout: 20_000, backoff: 100, maxBackoff: 1_000 };

let seed: TrafficRecord[];
beforeAll(async () => {
  const staged = await stage(
    committedFiles().map(({ name }) => `data/seed/${name}`),
    { strict: true },
  );
  seed = [...staged.records()];
  staged.close();
});

// One walk over all 2,708 pages is enough, because the stores differ only in how they read blocks.
describe.each<[StoreName, pages: number | undefined]>([
  ["d1", undefined],
  ["kv", 100],
])("the worker with the store %s", (store, pages) => {
  const worker = useWorker({ vars: { STORE: store } });

  test("passes every rule with the seed", async () => {
    await loadInto(worker.env, store, seed);
    const report = await checkQuickly(worker.origin, {
      pages,
      concurrency: 8,
      retryPolicy: SLOW_START,
      reference: true,
    });
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(rulesOf(report, "not seen")).toEqual([]);
    const records = pages === undefined ? seed.length : expect.any(Number);
    expect(report).toMatchObject({ records, count: seed.length, stopped: undefined });
  });
});

test.each(STORE_NAMES)("the worker without records breaks no rule, store %s", async (store) => {
  const worker = await startWorker({ vars: { STORE: store } });
  await loadInto(worker.env, store, []);
  const report = await checkQuickly(worker.origin, { retryPolicy: SLOW_START, reference: true });
  await worker.close();
  expect(rulesOf(report, "fail")).toEqual([]);
  expect(rulesOf(report, "pass")).toContain("Reference.past the end");
  expect(report).toMatchObject({ pages: 1, records: 0, count: 0, stopped: undefined });
});
