import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stage } from "../../../data/staging.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { STORE_NAMES } from "../../../tools/configuration.ts";
import { committedFiles } from "../../data/committed-seed.ts";
import { loadInto, type RunningWorker, startWorker } from "../../worker.ts";
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

describe.each(STORE_NAMES)("the worker, over %s,", (store) => {
  let worker: RunningWorker;
  beforeAll(async () => {
    worker = await startWorker({ vars: { STORE: store } });
  });
  afterAll(() => worker.close());

  // 2,708 pages.
  test("passes every rule with the seed", { timeout: 240_000 }, async () => {
    await loadInto(worker.env, store, seed);
    const report = await checkQuickly(worker.origin, {
      concurrency: 8,
      retryPolicy: SLOW_START,
      reference: true,
    });
    expect(rulesOf(report, "fail")).toEqual([]);
    expect(rulesOf(report, "not seen")).toEqual([]);
    expect(report).toMatchObject({ records: seed.length, count: seed.length, stopped: undefined });
  });
});

test.each(STORE_NAMES)("the worker breaks no rule without records, over %s", async (store) => {
  const worker = await startWorker({ vars: { STORE: store } });
  await loadInto(worker.env, store, []);
  const report = await checkQuickly(worker.origin, { retryPolicy: SLOW_START, reference: true });
  await worker.close();
  expect(rulesOf(report, "fail")).toEqual([]);
  expect(rulesOf(report, "pass")).toContain("Reference.past the end");
  expect(report).toMatchObject({ pages: 1, records: 0, count: 0, stopped: undefined });
});
