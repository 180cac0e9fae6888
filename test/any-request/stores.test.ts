import { expect, test, vi } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import app from "../../src/index.ts";
import { context } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, useWorker } from "../worker.ts";
import { checkRequests } from "./check-requests.ts";

/** Requests to each store. The weekly run sends more. */
const RUNS = Number(process.env.REQUESTS ?? 500);

const worker = useWorker();
const records = makeRecords(10_000);

test.each(STORE_NAMES)(
  "any request for a large collection in %s gets the expected response",
  { timeout: 180_000 + 100 * RUNS },
  async (STORE) => {
    // So long ago that no location of KV can lag behind it.
    vi.setSystemTime(Date.now() - 600_000);
    const state = await loadInto(worker.env, STORE, records).finally(() => vi.useRealTimers());
    expect(state.count).toBe(records.length);
    await checkRequests(
      (settings) => {
        const env = { ...worker.env, STORE, ...settings };
        return (request) => app.fetch(request, env, context);
      },
      { state, records: records.toReversed() },
      RUNS,
    );
  },
);
