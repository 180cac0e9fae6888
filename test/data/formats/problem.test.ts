import { expect, test } from "vitest";
import { formatProblem } from "../../../data/formats/problem.ts";

test.each(
  // biome-ignore format: one case per line
  [
    [{ file: "a.csv", line: 0, message: "does not exist" }, "a.csv: does not exist"],
    [{ file: "a.csv", line: 17, message: "is wrong" }, "a.csv:17: is wrong"],
    [{ file: "a.csv", line: 17, field: "cars", value: "many", message: "is wrong" }, 'a.csv:17: cars "many" is wrong'],
    [{ file: "a.csv", line: 17, value: null, message: "is wrong" }, "a.csv:17: null is wrong"],
    [{ file: "a.csv", line: 1, value: "x".repeat(58), message: "is wrong" }, `a.csv:1: "${"x".repeat(58)}" is wrong`],
    [{ file: "a.csv", line: 1, value: "x".repeat(59), message: "is wrong" }, `a.csv:1: "${"x".repeat(58)}… is wrong`],
  ],
)("formats %j as %s", (problem, line) => {
  expect(formatProblem(problem)).toBe(line);
});
