import { expect, test } from "vitest";
import { formatNumber } from "../../src/site/number-format.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [40_614, "40,614"],
  [123_456_789, "123,456,789"],
])("the number %i is written as %s", (value, text) => expect(formatNumber(value)).toBe(text));
