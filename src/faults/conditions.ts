import { parseUtcTime } from "../records/utc-time.ts";
import { defineOption, integerBetween, noValue, parseRange } from "./option.ts";

/** More pages would make long headers and long links. */
const MAX_RANGES = 50;

/** The conditions, which decide whether a request has faults, and the options for all random choices and for none. */
export const CONDITIONS = {
  on: defineOption({
    value: "up to 50 page numbers, ranges of them and last, such as 3,7-9",
    description: "Limits the faults to these pages of the collection",
    example: "on=3,7-9",
    parse: parsePages,
    async allows(targets, { getPage }) {
      const { number, pages } = (await getPage()) ?? { number: 0, pages: -1 };
      const isTarget = ({ min, max }: { min: number; max: number }) => number >= min && number <= max;
      return targets.some((one) => (one === "last" ? number === pages : isTarget(one)));
    },
  }),
  until: defineOption({
    value: "a time in UTC such as 2030-01-31T12:00:00Z",
    description: "Limits the faults to the time before",
    example: "until=2030-01-31T12:00:00Z",
    parse: (text: string) => (text.endsWith("z") ? parseUtcTime(text.toUpperCase()) : undefined),
    allows: (time, { now }) => now < time,
  }),
  times: defineOption({
    ...integerBetween(1, 1_000_000),
    description: "Limits the faults to this number of requests for the same page, the first ones",
    example: "times=2",
    allows: (times, { count }) => count() <= times,
  }),
  fail: defineOption({
    value: "a decimal number from 0 to 1",
    description: "Limits the faults except delay to this share of the requests, at random",
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
    description: "Switches off the preferences that a deployment has for all requests",
    example: "none",
  }),
};

function parsePages(text: string) {
  const parse = (page: string) => (page === "last" ? page : parseRange(page, 1, Number.MAX_SAFE_INTEGER));
  const pages = text.split(",").map(parse);
  return pages.length <= MAX_RANGES && pages.every((range) => range !== undefined) ? pages : undefined;
}

/** Accepts every number that JavaScript formats, such as `1e-7`, but not many more digits: `Preference-Applied` repeats them. */
function parseShare(text: string): number | undefined {
  const isDecimal = /^(?:[0-9]|[0-9]?\.[0-9]{1,24})(?:e-[0-9]{1,3})?$/.test(text);
  return isDecimal && Number(text) <= 1 ? Number(text) : undefined;
}
