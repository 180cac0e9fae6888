import { expect, test } from "vitest";
import { formatMean, formatNumber, formatShort, roundUp } from "../../src/site/number-format.ts";

test.each([
  [1_234_567, 1, "1,234,567"],
  [7, 1, "7"],
  [14, 7, "2.0"],
  [29, 7, "4.1"],
  [0, 28, "0.0"],
  [700, 7, "100"],
  [12_345, 2, "6,173"],
])("the mean of a sum of %i over %i parts is shown as %s", (sum, parts, text) =>
  expect(formatMean(sum, parts)).toBe(text),
);

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [40_614, "40,614"],
  [123_456_789, "123,456,789"],
])("the number %i is written as %s", (value, text) => expect(formatNumber(value)).toBe(text));

test.each([
  [0, "0"],
  [0.5, "0.5"],
  [250, "250"],
  [1_500, "1.5K"],
  [20_000, "20K"],
  [2_000_000, "2M"],
])("the short form of %d is %s", (value, text) => expect(formatShort(value)).toBe(text));

test.each([
  [0, 1],
  [0.3, 0.4],
  [1, 1],
  [3, 4],
  [456, 500],
  [5_001, 10_000],
  [17_000, 20_000],
])("%d is rounded up to the round number %d", (value, round) => expect(roundUp(value)).toBeCloseTo(round, 9));
