import { expect, test } from "vitest";
import { ConflictError } from "../../src/store/store.ts";
import { append } from "../../src/store/writer.ts";
import { createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";

test("an append to a state that is gone fails, although it fills no block", async () => {
  const records = makeRecords(30);
  const { store } = await createMemoryService(records.slice(0, 10));
  const base = await store.readStatistics();
  const state = await append(store, records.slice(10, 20), base);
  await expect(append(store, records.slice(20), base)).rejects.toThrow(ConflictError);
  expect(await store.readState()).toBe(state);
});
