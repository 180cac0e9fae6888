import { expect, test } from "vitest";
import { describeFileError, formatValue } from "../../tools/messages.ts";

test.each([
  [{ errcode: 13 }, "the disk is full"],
  [{ errcode: 4874 }, "the disk is full"],
  [{ errcode: 11 }, "it is damaged"],
  [{ errcode: 26 }, "it is damaged"],
  [{ code: "ENOSPC" }, "the disk is full"],
  [{ code: "EACCES" }, "permission denied"],
  [{ code: "EUNKNOWN" }, "what the system says"],
])("an error with %j says why a file cannot be used: %s", (codes, reason) => {
  const error = Object.assign(new Error("what the system says"), codes);
  expect(describeFileError(error)).toContain(reason);
});

const circular: Record<string, unknown> = {};
circular.self = circular;
const throwing = {
  toJSON() {
    throw new Error("no");
  },
};

test.each([
  ["a\u202e", '"a\\u202e"'],
  [[1, null], "[1,null]"],
  [undefined, "missing"],
  [1n, "1n"],
  [{ id: 1n }, "{ id: 1n }"],
  [Number.NaN, "NaN"],
  [Number.NEGATIVE_INFINITY, "-Infinity"],
  [Symbol("a"), "Symbol(a)"],
  [circular, "<ref *1> { self: [Circular *1] }"],
  [throwing, "{ toJSON: [Function: toJSON] }"],
  ["a".repeat(60), `"${"a".repeat(58)}…`],
])("the value %o is formatted as %s", (value, text) => {
  expect(formatValue(value)).toBe(text);
});
