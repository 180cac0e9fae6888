import { expect, test } from "vitest";
import {
  createWholeNumberParser,
  parseDate,
  parseMinutes,
  parseOut,
} from "../../../tools/command-line/option-parsers.ts";

const MAX = Number.MAX_SAFE_INTEGER;

const parsers: Record<string, (text: string) => unknown> = {
  "0 to 16": createWholeNumberParser(0, 16),
  "1 or more": createWholeNumberParser(1),
  minutes: parseMinutes,
  "a date": parseDate,
  "an output file": parseOut,
};

test.each([
  ["0 to 16", "0", 0],
  ["0 to 16", "16", 16],
  ["0 to 16", "007", 7],
  ["1 or more", String(MAX), MAX],
  ["minutes", "1m", 1],
  ["minutes", "2h", 120],
  ["a date", "2019-02-28", new Date("2019-02-28T00:00:00Z")],
  ["a date", "2019-02-28T10:00:00Z", new Date("2019-02-28T10:00:00Z")],
  ["an output file", "-", "-"],
  ["an output file", "/dev/stdout", "-"],
  ["an output file", "/dev/fd/1", "-"],
  ["an output file", "/proc/self/fd/1", "-"],
  ["an output file", "/dev/null", "/dev/null"],
  ["an output file", "dev/stdout", "dev/stdout"],
])("as %s, %j is %o", (name, text, value) => expect(parsers[name]?.(text)).toEqual(value));

test.each([
  ["0 to 16", "It must be a whole number, 0 to 16.", ["17", "1.5", "-1"]],
  ["1 or more", "It must be a whole number, 1 or more.", ["0", String(MAX + 1), ""]],
  ["minutes", "It must be a number of minutes or hours", ["0m", "30", "1.5h", "h", ""]],
  ["a date", "It must be a date in UTC", ["2019-02-30", "2019-2-3", "2019-02-28T10:00:00", "today", ""]],
  ["an output file", "It must not be empty.", [""]],
])("what is not %s is an error: %s", (name, message, texts) => {
  for (const text of texts) expect(() => parsers[name]?.(text), text).toThrow(message);
});
