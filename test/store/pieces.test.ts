import { expect, test } from "vitest";
import { NO_STATISTICS, type Statistics } from "../../src/records/statistics.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { encodeStatistics, readStatistics } from "../../src/store/pieces.ts";

test("statistics of several pieces are read as they were, also if a piece ends with a space", async () => {
  const camera_ref = `a${" ".repeat(97)}\né'`;
  const cameras = Array.from({ length: 5_000 }, (_, camera_pk): [number, string] => [camera_pk, camera_ref]);
  const statistics: Statistics = { ...NO_STATISTICS, cameras };
  const pieces = encodeStatistics(statistics);
  expect(pieces.filter(({ text }) => text.endsWith(" \n")).length).toBeGreaterThan(1);
  const store = createMemoryStore();
  const state = store.replace({ load: "a", count: 0, source: "" }, pieces);
  expect(await readStatistics(store, { state })).toEqual(statistics);
});
