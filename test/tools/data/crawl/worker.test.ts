import { beforeAll, expect, test } from "vitest";
import { stage } from "../../../../data/staging.ts";
import { makeRecords } from "../../../records/sample.ts";
import { loadInto, useWorker } from "../../../worker.ts";
import { linesOf, runCrawl } from "./run-crawl.ts";

const RECORDS = makeRecords(1_234);

const worker = useWorker();
beforeAll(async () => {
  await loadInto(worker.env, "d1", RECORDS);
});

test.each([1, 16])(
  "the worker is copied with a concurrency of %i, and the file can be loaded",
  async (concurrency) => {
    const { out, lines, warned, error } = await runCrawl(
      worker.origin,
      { concurrency },
      { retryPolicy: SLOW_RETRIES },
    );
    expect([error, warned]).toEqual([undefined, []]);
    expect(lines).toEqual(linesOf(RECORDS));
    const staged = await stage([out], { strict: true });
    expect(staged.problems).toEqual([]);
    expect([...staged.records()]).toEqual(RECORDS);
    staged.close();
  },
);

/** A worker that has just started is slow. */
const SLOW_RETRIES = {
  attempts: 3,
  timeout: 20_000,
  backoff: 100,
  maxBackoff: 1_000,
  maxRetryAfter: 10_000,
};
