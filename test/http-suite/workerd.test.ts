import { afterAll, describe, vi } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, startWorker } from "../worker.ts";
import { describeService } from "./suite.ts";

describe.each(STORE_NAMES)("in workerd, with %s,", async (store) => {
  const worker = await startWorker({ vars: { STORE: store } });
  afterAll(() => worker.close());
  const records = makeRecords(100);
  // So long ago that no location of KV can lag behind it.
  vi.setSystemTime(Date.now() - 600_000);
  const { load } = await loadInto(worker.env, store, records).finally(() => vi.useRealTimers());
  describeService({ ...worker, hasFiles: true, count: 100, load, records: records.reverse() });
});
