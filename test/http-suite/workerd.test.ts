import { readFileSync } from "node:fs";
import { afterAll, describe } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import { bundleWorker } from "../bundled-worker.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, startWorker } from "../worker.ts";
import { describeService } from "./suite.ts";

const script = await bundleWorker("test/http-suite/read-only-worker.ts");

describe.each(STORE_NAMES)("in workerd, with %s and bindings that only read,", async (store) => {
  const worker = await startWorker({ vars: { STORE: store }, script });
  afterAll(() => worker.close());
  const records = makeRecords(100);
  const { load } = await loadInto(worker.env, store, records);
  describeService({ ...worker, hasFiles: true, count: 100, load, records: records.reverse() });
});

describe("in workerd, with the seed and bindings that only read,", async () => {
  const worker = await startWorker({ vars: { STORE: "seed" }, migrate: false, script });
  afterAll(() => worker.close());
  const { load, count } = JSON.parse(readFileSync("dist/assets/api/seed/state.json", "utf8"));
  describeService({ ...worker, hasFiles: true, count, load });
});
