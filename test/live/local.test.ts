import { afterAll, beforeAll, describe } from "vitest";
import { STORE_NAMES } from "../../tools/configuration.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, type RunningWorker, startWorker } from "../worker.ts";
import { describeTarget } from "./suite.ts";
import { openTarget } from "./target.ts";

describe.each(STORE_NAMES)("from %s", (store) => {
  describe.each([100, 15, 0])("with %i records", (count) => {
    let worker: RunningWorker;
    beforeAll(async () => {
      worker = await startWorker({ vars: { STORE: store } });
      await loadInto(worker.env, store, makeRecords(count));
    });
    afterAll(() => worker?.close());

    describeTarget(() => openTarget(worker.origin));
  });
});
