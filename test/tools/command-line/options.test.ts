import { expect, test } from "vitest";
import {
  createWholeNumberParser,
  parseDate,
  parseMinutes,
  parseOut,
} from "../../../tools/command-line/options.ts";

const MAX = Number.MAX_SAFE_INTEGER;
const upTo16 = createWholeNumberParser(1, 16);
const positive = createWholeNumberParser(1);

test.each<[parse: (text: string) => unknown, text: string, value: unknown]>([
  [createWholeNumberParser(0, 16), "0", 0],
  [upTo16, "16", 16],
  [upTo16, "007", 7],
  [positive, String(MAX), MAX],
  [parseMinutes, "1m", 1],
  [parseMinutes, "2h", 120],
  [parseDate, "2019-02-28", new Date("2019-02-28T00:00:00Z")],
  [parseDate, "2019-02-28T10:00:00Z", new Date("2019-02-28T10:00:00Z")],
  [parseOut, "-", "-"],
  [parseOut, "/dev/stdout", "-"],
  [parseOut, "/dev/fd/1", "-"],
  [parseOut, "/proc/self/fd/1", "-"],
  [parseOut, "/dev/null", "/dev/null"],
  [parseOut, "dev/stdout", "dev/stdout"],
])("%o reads %j as %o", (parse, text, value) => expect(parse(text)).toEqual(value));

test.each<[parse: (text: string) => unknown, message: string, texts: string[]]>([
  [upTo16, "It must be a whole number, 1 to 16.", ["0", "17", "1.5"]],
  [positive, "It must be a whole number, 1 or more.", [String(MAX + 1), "-1", ""]],
  [parseMinutes, "It must be a number of minutes or hours", ["0m", "30", "1.5h", "h", ""]],
  [parseDate, "It must be a date in UTC", ["2019-02-30", "2019-2-3", "2019-02-28T10:00:00", "today", ""]],
  [parseOut, "It must not be empty.", [""]],
])("%o says: %s", (parse, message, texts) => {
  for (const text of texts) expect(() => parse(text), text).toThrow(message);
});
