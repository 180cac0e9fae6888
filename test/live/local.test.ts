import { afterAll, beforeAll, describe } from "vitest";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import type { Server } from "../../tools/package/index.d.ts";
import { makeRecords } from "../records/sample.ts";
import { importPackage } from "../tools/package/built.ts";
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

describe.each([100, 15, 0])("from memory, as a package, with %i records", (count) => {
  let server: Server;
  beforeAll(async () => {
    const { createService } = await importPackage();
    server = await createService({ records: makeRecords(count) }).listen({ port: 0 });
  });
  afterAll(() => server.close());

  describeTarget(() => openTarget(server.url));
});
