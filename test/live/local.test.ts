import { beforeAll, describe } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, useWorker } from "../worker.ts";
import { describeTarget } from "./suite.ts";
import { openTarget } from "./target.ts";

describe.each(STORE_NAMES)("from %s", (store) => {
  describe.each([100, 15, 0])("with %i records", (count) => {
    const worker = useWorker({ vars: { STORE: store } });
    beforeAll(async () => {
      await loadInto(worker.env, store, makeRecords(count));
    });

    describeTarget(() => openTarget(worker.origin));
  });
});
