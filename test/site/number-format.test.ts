import { expect, test } from "vitest";
import { formatMean } from "../../src/site/number-format.ts";

test.each([
  [1_234_567, 1, "1,234,567"],
  [7, 1, "7"],
  [14, 7, "2.0"],
  [29, 7, "4.1"],
  [0, 28, "0.0"],
  [700, 7, "100"],
  [12_345, 2, "6,173"],
])("the mean of %i in %i parts is %s", (sum, parts, text) => expect(formatMean(sum, parts)).toBe(text));
