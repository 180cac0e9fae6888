import { expect, test } from "vitest";
import {
  createWholeNumberParser,
  parseDate,
  parseMinutes,
  parseOut,
} from "../../../tools/command-line/options.ts";

test.each([
  [0, 16, "0", 0],
  [1, 16, "16", 16],
  [1, 16, "007", 7],
  [1, undefined, String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
])("in the range from %s to %s, %s is read as %s", (min, max, text, value) =>
  expect(createWholeNumberParser(min, max)(text)).toBe(value),
);

test.each([
  [1, 16, "0", "It must be a whole number, 1 to 16."],
  [1, 16, "17", "It must be a whole number, 1 to 16."],
  [1, 16, "1.5", "It must be a whole number, 1 to 16."],
  [1, undefined, String(Number.MAX_SAFE_INTEGER + 1), "It must be a whole number, 1 or more."],
  [0, undefined, "-1", "It must be a whole number, 0 or more."],
  [0, undefined, "", "It must be a whole number, 0 or more."],
])("in the range from %s to %s, %s is rejected", (min, max, text, message) =>
  expect(() => createWholeNumberParser(min, max)(text)).toThrow(message),
);

test.each([
  ["1m", 1],
  ["30m", 30],
  ["2h", 120],
])("%s is read as %i minutes", (text, minutes) => expect(parseMinutes(text)).toBe(minutes));

test.each(["0m", "30", "1.5h", "h", ""])("%j is not a number of minutes", (text) =>
  expect(() => parseMinutes(text)).toThrow("It must be a number of minutes or hours"),
);

test.each([
  ["2019-02-28", "2019-02-28T00:00:00.000Z"],
  ["2019-02-28T10:00:00Z", "2019-02-28T10:00:00.000Z"],
])("%s is a date", (text, date) => expect(parseDate(text).toISOString()).toBe(date));

test.each(["2019-02-30", "2019-2-3", "2019-02-28T10:00:00", "today", ""])("%j is not a date", (text) =>
  expect(() => parseDate(text)).toThrow("It must be a date in UTC"),
);

test.each([
  ["-", "-"],
  ["/dev/stdout", "-"],
  ["/dev/fd/1", "-"],
  ["/proc/self/fd/1", "-"],
  ["/dev/null", "/dev/null"],
  ["dev/stdout", "dev/stdout"],
])("parseOut: --out %s means %s", (given, expected) => {
  expect(parseOut(given)).toBe(expected);
});
