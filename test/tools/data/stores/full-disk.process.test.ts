import { expect, test } from "vitest";
import { STORE_NAMES } from "../../../../tools/data/stores/configuration.ts";
import { makeRecords } from "../../../support/sample-records.ts";
import { untilServed } from "../../../support/serve.ts";
import { readAllRecords, startWorker } from "../../../support/worker.ts";
import { createDataFolder } from "../data-folder.ts";
import { mountDisk } from "./small-disk.ts";

test.each(STORE_NAMES)(
  "%s: after a load that does not fit on the disk, every page is served, and a smaller load works at once",
  async (store) => {
    const files = createDataFolder();
    const { folder, run } = createDataFolder();
    mountDisk(folder, 7_000_000);
    const [previous, next] = [makeRecords(940), makeRecords(1_000)];
    const load = async (name: string, records: typeof next) =>
      run("load", "--store", store, await files.write(name, records));
    await load("previous.csv", previous);
    const server = await startWorker({ folder, vars: { STORE: store } });
    try {
      const stderr = expect.stringContaining("the disk is full. The load needs ");
      expect(await load("large.csv", makeRecords(50_000))).toMatchObject({ status: 1, stderr });
      expect(await readAllRecords(server.origin)).toEqual(previous.toReversed());
      expect(await load("next.csv", next)).toMatchObject({ status: 0 });
      await untilServed(server.origin);
      expect(await readAllRecords(server.origin)).toEqual(next.toReversed());
    } finally {
      await server.close();
    }
  },
);
