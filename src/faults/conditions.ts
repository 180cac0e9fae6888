import { parseUtcTime } from "../records/utc-time.ts";
import { defineOption, integerBetween, noValue, parseRange } from "./option.ts";

/** Max page ranges in `on`. A response repeats the ranges in its headers and links. */
const MAX_RANGES = 50;

/** The conditions, which decide whether a request has faults, and the options `seed` and `none`. */
export const CONDITIONS = {
  on: defineOption({
    expected: "up to 50 page numbers, ranges or last, such as 3,7-9",
    description: "Applies the faults only to these pages",
    example: "on=3,7-9",
    parse: parsePages,
    async allows(ranges, { getPage }) {
      const { number, pages } = (await getPage()) ?? { number: 0, pages: -1 };
      return ranges.some((range) =>
        range === "last" ? number === pages : number >= range.min && number <= range.max,
      );
    },
  }),
  until: defineOption({
    expected: "a time in UTC such as 2030-01-31T12:00:00Z",
    description: "Applies the faults only before this time",
    example: "until=2030-01-31T12:00:00Z",
    parse: (text: string) => (text.endsWith("z") ? parseUtcTime(text.toUpperCase()) : undefined),
    allows: (time, { now }) => now < time,
  }),
  times: defineOption({
    ...integerBetween(1, 1_000_000),
    description: "Applies the faults only to the first N requests for the same page",
    example: "times=2",
    allows: (times, { count }) => count() <= times,
  }),
  fail: defineOption({
    expected: "a decimal number from 0 to 1",
    description: "Applies the faults to this share of the requests, chosen at random; delay applies to all",
    example: "fail=0.1",
    parse: parseShare,
    exemptsDelay: true,
    allows: (share, { random }) => random("fail") < share,
  }),
  seed: defineOption({
    ...integerBetween(0, Number.MAX_SAFE_INTEGER),
    description: "Makes random choices repeatable: they depend only on this number, the method and the page",
    example: "seed=4",
  }),
  none: defineOption({
    ...noValue,
    description: "Turns off the default options of the deployment for this request",
    example: "none",
  }),
};

function parsePages(text: string) {
  const parse = (page: string) => (page === "last" ? page : parseRange(page, 1, Number.MAX_SAFE_INTEGER));
  const pages = text.split(",").map(parse);
  return pages.length <= MAX_RANGES && pages.every((range) => range !== undefined) ? pages : undefined;
}

/** Accepts a number from 0 to 1 in JavaScript notation, such as `1e-7`. Limits the digits, because `Preference-Applied` repeats them. */
function parseShare(text: string): number | undefined {
  const isDecimal = /^(?:[0-9]|[0-9]?\.[0-9]{1,24})(?:e-[0-9]{1,3})?$/.test(text);
  return isDecimal && Number(text) <= 1 ? Number(text) : undefined;
}
