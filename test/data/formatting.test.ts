import { expect, test } from "vitest";
import { formatCount, formatValue } from "../../data/formatting.ts";

test.each([
  ["a".repeat(58), `"${"a".repeat(58)}"`],
  ["a".repeat(59), `"${"a".repeat(58)}…`],
  // The value is cut between the two halves of a surrogate pair.
  [`${"a".repeat(57)}🚗🚗`, `"${"a".repeat(57)}\ufffd…`],
  [null, "null"],
])("the value %j is shown as %s", (value, shown) => expect(formatValue(value)).toBe(shown));

test.each([
  [0, "0 pages"],
  [1, "1 page"],
  [2, "2 pages"],
])("the count %i is shown as %s", (count, text) => expect(formatCount(count, "page")).toBe(text));
