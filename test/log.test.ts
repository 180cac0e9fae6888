import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { logFailure } from "../src/log.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

function log(error: unknown) {
  logFailure({ event: "kept_served", store: "d1" }, error);
  const [[line] = []] = vi.mocked(console.error).mock.calls;
  return JSON.parse(String(line));
}

test.each<[string, unknown, string]>([
  ["an error", new TypeError("no"), "TypeError: no"],
  ["its cause", new Error("no", { cause: new SyntaxError("odd") }), "Error: no (SyntaxError: odd)"],
  ["two lines", new Error("one\ntwo"), "Error: one\ntwo"],
  ["a string", "no", "no"],
  ["undefined", undefined, "undefined"],
  ["whole if it is not too long", "x".repeat(500), "x".repeat(500)],
  ["shortened if it is long", "x".repeat(501), `${"x".repeat(500)}...`],
])("the reason is %s", (_, error, reason) => {
  expect(log(error).reason).toBe(reason);
});

test("the frames do not repeat the message, even if it looks like a frame", () => {
  const { at } = log(new Error("no\nat all"));
  expect(at[0]).toMatch(/log\.test\.ts:\d+:\d+/);
  expect(at.length).toBeLessThanOrEqual(8);
});

test("a thrown value without a stack has no frames", () => {
  expect(log("no").at).toEqual([]);
});
