import { afterAll, beforeAll, expect, test } from "vitest";
import { stage } from "../../../data/staging.ts";
import { makeRecords } from "../../records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "../../worker.ts";
import { copy, linesOf } from "./copy.ts";

const RECORDS = makeRecords(1_234);

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker();
  await loadInto(worker.env, "d1", RECORDS);
});
afterAll(() => worker.close());

test.each([1, 16])(
  "the worker is copied, %i pages at a time, and the copy can be loaded",
  async (concurrency) => {
    const { out, lines, warned, error } = await copy(
      worker.origin,
      { concurrency },
      { retryPolicy: PATIENT },
    );
    expect([error, warned]).toEqual([undefined, []]);
    expect(lines).toEqual(linesOf(RECORDS));
    const staged = await stage([out], { strict: true });
    expect(staged.problems).toEqual([]);
    expect([...staged.records()]).toEqual(RECORDS);
    staged.close();
  },
);

/** A worker that has just begun takes its time. */
const PATIENT = {
  attempts: 3,
  timeout: 20_000,
  backoff: 100,
  maxBackoff: 1_000,
  maxRetryAfter: 10_000,
};
