import { expect, test } from "vitest";
import { chooseLabels } from "../../src/site/landing/axis-labels.ts";

/** In the input, a letter is a bar and a dot is a gap. In the result, a dot is a bar without a label. */
test.each([
  ["abcdef", 1, "abcdef"],
  ["abcdef", 2, "a.c.e."],
  ["abcdef", 5, "a....."],
  ["abcdef", 9, "a....."],
  ["abc.defghij", 3, "a...d..g..."],
  ["abcd.efgh", 4, "a....e..."],
  ["ab.cdefgh", 4, "a...d...."],
  ["a.b.c", 2, "a.b.c"],
  ["", 1, ""],
])("the bars %s, with labels at least %i bars apart, are labelled %s", (bars, apart, chosen) => {
  const names = [...bars].map((bar) => (bar === "." ? undefined : bar));
  expect(
    chooseLabels(names, apart)
      .map((label) => label || ".")
      .join(""),
  ).toBe(chosen);
});
