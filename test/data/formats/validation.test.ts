import { expect, test } from "vitest";
import { formatProblem } from "../../../data/formats/problem.ts";
import { createValidator } from "../../../data/formats/validation.ts";
import { Page } from "../../../src/records/record.ts";

test("a problem says that a field must be a URL or null", () => {
  const page = { count: 0, next: "page 2", previous: 1, results: [] };
  const checked = createValidator(Page, "an envelope").validate(page, { file: "a", line: 1 }, page);
  expect("problems" in checked && checked.problems.map(formatProblem)).toEqual([
    'a:1: next "page 2" is not a URL, or null',
    "a:1: previous 1 is not a URL, or null",
  ]);
});
