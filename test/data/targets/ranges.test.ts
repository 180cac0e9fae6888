import { expect, test } from "vitest";
import { rangesOf, rangesSince } from "../../../data/targets/ranges.ts";
import type { Day } from "../../../src/records/statistics.ts";
import { statisticsOf } from "../statistics.ts";

const RANGE = 60_000;

/** Three days, of which the second begins within the first range. */
const days = [50_000, 20_000, 60_001].map((records, day): Day => {
  return [`2019-05-0${day + 1}`, records, 0, 0, 0, 0, 0, 0, 0, 0];
});
const state = { version: 1, count: 130_001 };
const loaded = { state, statistics: { ...statisticsOf([]), days } };

test.each([
  ["2018-12-31T23:59:59Z", 1],
  ["2019-05-01T00:00:00Z", 1],
  ["2019-05-02T23:59:59Z", 1],
  ["2019-05-03T00:00:00Z", RANGE + 1],
  ["2019-05-04T00:00:00Z", undefined],
])("what is loaded since %s is read from position %j on", (timestamp, first) => {
  const ranges = rangesSince(loaded, timestamp);
  expect(ranges[0]?.first).toBe(first);
  expect(ranges).toEqual(rangesOf(state).slice(rangesOf(state).length - ranges.length));
});
