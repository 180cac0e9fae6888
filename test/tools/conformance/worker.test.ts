import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stage } from "../../../data/staging.ts";
import { STORE_NAMES } from "../../../data/targets/targets.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { committedFiles } from "../../data/committed-seed.ts";
import { loadInto, type RunningWorker, startWorker } from "../../worker.ts";
import { examineQuickly, QUICK, rulesOf } from "./examination.ts";

/** A worker that has just begun takes its time. */
const PATIENT = { ...QUICK, timeout: 20_000, backoff: 100, longestBackoff: 1_000 };

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
    const examination = await examineQuickly(worker.origin, { concurrency: 8, patience: PATIENT });
    expect(rulesOf(examination, "fail")).toEqual([]);
    expect(rulesOf(examination, "not seen")).toEqual([]);
    expect(examination).toMatchObject({ records: seed.length, count: seed.length, stopped: undefined });
  });
});

test.each(STORE_NAMES)("the worker breaks no rule without records, over %s", async (store) => {
  const worker = await startWorker({ vars: { STORE: store } });
  await loadInto(worker.env, store, []);
  const examination = await examineQuickly(worker.origin, { patience: PATIENT });
  await worker.close();
  expect(rulesOf(examination, "fail")).toEqual([]);
  expect(examination).toMatchObject({ pages: 1, records: 0, count: 0, stopped: undefined });
});
