import { expect, test } from "vitest";
import { formatProblem } from "../../../data/sources/problem.ts";
import { checkShape, describeShape } from "../../../data/sources/shape.ts";
import { Page } from "../../../src/records/record.ts";

test("a field that is a URL, or null, is told as such", () => {
  const page = { count: 0, next: "page 2", previous: 1, results: [] };
  const checked = checkShape(describeShape(Page, "an envelope"), page, { file: "a", line: 1 }, page);
  expect("problems" in checked && checked.problems.map(formatProblem)).toEqual([
    'a:1: next: "page 2" is not a URL, or null',
    "a:1: previous: 1 is not a URL, or null",
  ]);
});
