import { expect, test } from "vitest";
import { ConflictError, type Store } from "../../src/store/store.ts";
import { append, load } from "../../src/store/writer.ts";
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

test("a load that meets other loads replaces them too, but gives up after five", async () => {
  const [others, records] = [makeRecords(10), makeRecords(30)];
  const { store } = await createMemoryService(others);
  const meet = (loads: number): Store => ({
    ...store,
    async switchTo(next, expected) {
      if (loads-- > 0) await load(store, others);
      return store.switchTo(next, expected);
    },
  });
  await load(meet(4), records);
  expect((await store.readState()).count).toBe(30);
  await expect(load(meet(5), records)).rejects.toThrow(ConflictError);
  expect((await store.readState()).count).toBe(10);
});
