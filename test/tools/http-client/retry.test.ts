import { expect, test } from "vitest";
import { parseRetryAfter } from "../../../tools/http-client/retry.ts";

test.each([
  ["0", 0],
  ["120", 120_000],
  ["Sun, 06 Nov 1994 08:50:37 GMT", 60_000],
  ["Sunday, 06-Nov-94 08:50:37 GMT", 60_000],
  ["Sun, 06 Nov 1994 08:40:37 GMT", 0],
  ["-5", undefined],
  ["1.5", undefined],
  ["soon", undefined],
  ["", undefined],
  [null, undefined],
])("Retry-After: %j -> %j ms", (text, expected) => {
  expect(parseRetryAfter(text, Date.UTC(1994, 10, 6, 8, 49, 37))).toBe(expected);
});
