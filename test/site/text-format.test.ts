import { expect, test } from "vitest";
import { formatNumber, formatShare } from "../../src/site/text-format.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [40_614, "40,614"],
  [123_456_789, "123,456,789"],
])("the number %i is written as %s", (value, text) => expect(formatNumber(value)).toBe(text));

test.each([
  [0, 20_000, "0 %"],
  [1, 20_000, "0.1 %"],
  [86, 100, "86.0 %"],
  [19_999, 20_000, "99.9 %"],
  [20_000, 20_000, "100 %"],
])("the share %i of %i is written as %s", (part, whole, text) => expect(formatShare(part, whole)).toBe(text));
