import { parseUtcTime } from "../records/utc-time.ts";

/** Both ends included. */
export interface NumberRange {
  min: number;
  max: number;
}

/** An option of the mock. Its documentation, its warnings and its part of the OpenAPI document are made from this row. */
export interface Option {
  /** The values that it can have, as they follow `must be`. */
  value: string;
  /** All of them, if they are words. */
  values?: string[];
  description: string;
  example: string;
  /** Returns undefined if the text, which is in lower case, is not one of the values. */
  parse(text: string): unknown;
}

const withoutValue = { value: "without a value", parse: (text: string) => text === "" || undefined };

/** Every option by its name: first those that change the response, then those that limit when it is changed. */
export const MOCK_OPTIONS = {
  code: { ...whole(400, 599), description: "Responds with this status and its error", example: "code=503" },
  delay: {
    value: "milliseconds from 0 to 10000, or a range of them such as 200-800",
    description: "Waits before the response; with a range, waits a random time within it",
    example: "delay=200-800",
    parse: (text: string) => parseRange(text, 0, 10_000),
  },
  hang: { ...withoutValue, description: "Sends no response for a minute", example: "hang" },
  close: { ...withoutValue, description: "Closes the connection before the response", example: "close" },
  body: {
    ...oneOf("cut", "slow", "garbage", "empty"),
    description:
      "Closes the connection in the middle of the body (cut), sends it over 2 seconds or, with delay, over that time (slow), sends invalid JSON (garbage), or sends no body (empty)",
    example: "body=cut",
  },
  "retry-after": {
    value: "none, date or seconds from 0 to 86400",
    description:
      "Changes the header Retry-After of 429 and 503: leaves it out, writes an HTTP date, or writes so many seconds",
    example: "retry-after=date",
    parse: (text: string) => (text === "none" || text === "date" ? text : parseWhole(text, 0, 86_400)),
  },
  rows: {
    ...oneOf("repeat", "drop", "swap"),
    description:
      "Replaces one record of a page by a copy of another one (repeat), leaves one out (drop), or swaps two that have different timestamps (swap)",
    example: "rows=repeat",
  },
  count: {
    value: "an integer other than 0, such as 1 or -5",
    description: "Adds this number to the count of a page",
    example: "count=+1",
    // In a query, a plus sign that is not percent-encoded is read as a space. So the sign can be missing.
    parse: (text: string) => (/^[+-]?[1-9][0-9]{0,8}$/.test(text) ? Number(text) : undefined),
  },
  next: {
    ...oneOf("loop", "null", "skip"),
    description: "Makes next lead to the same page (loop), makes it null (null), or leaves out a page (skip)",
    example: "next=loop",
  },
  record: {
    ...oneOf("float", "null", "missing", "extra", "offset"),
    description:
      "In one record of a page, makes a count a fraction (float) or null (null), leaves out a field (missing), adds one (extra), or writes the timestamp with an offset instead of Z (offset)",
    example: "record=missing",
  },
  grow: {
    value: "1 to 1000 records per s, m or h, such as 15/m",
    description: "Serves a collection that grows by the clock, from a part of what is loaded to all of it",
    example: "grow=15/m",
    parse: parseGrowth,
  },
  on: {
    value: "up to 50 page numbers, ranges of them and last, such as 3,7-9",
    description: "Limits the faults to these pages of the collection",
    example: "on=3,7-9",
    parse: parsePages,
  },
  until: {
    value: "a time in UTC such as 2030-01-31T12:00:00Z",
    description: "Limits the faults to the time before",
    example: "until=2030-01-31T12:00:00Z",
    parse: (text: string) => (text.endsWith("z") ? parseUtcTime(text.toUpperCase()) : undefined),
  },
  times: {
    ...whole(1, 1_000_000),
    description: "Limits the faults to this number of requests for the same page, the first ones",
    example: "times=2",
  },
  fail: {
    value: "a decimal number from 0 to 1",
    description: "Limits the faults except delay to this share of the requests, at random",
    example: "fail=0.1",
    parse: parseShare,
  },
  seed: {
    ...whole(0, Number.MAX_SAFE_INTEGER),
    description: "Makes random choices repeatable: they depend only on this number, the method and the page",
    example: "seed=4",
  },
  none: {
    ...withoutValue,
    description: "Switches off the preferences that a deployment has for all requests",
    example: "none",
  },
} satisfies Record<string, Option>;

export type OptionName = keyof typeof MOCK_OPTIONS;

/** The options of a request. Those that it does not have, or whose value is invalid, are undefined. */
export type MockOptions = {
  [Name in OptionName]?: ReturnType<(typeof MOCK_OPTIONS)[Name]["parse"]>;
};

/** Every name, in the order of the table. */
export const OPTION_NAMES = Object.keys(MOCK_OPTIONS) as OptionName[];

function whole(least: number, most: number) {
  return {
    value: `a whole number from ${least} to ${most}`,
    parse: (text: string) => parseWhole(text, least, most),
  };
}

function oneOf<T extends string>(...values: T[]) {
  return {
    value: values.join(", ").replace(/, (?=\w+$)/, " or "),
    values,
    parse: (text: string) => values.find((value) => value === text),
  };
}

/** Accepts few digits, because `Preference-Applied` repeats them. */
function parseWhole(text: string, least: number, most: number): number | undefined {
  if (!/^[0-9]{1,16}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= least && number <= most ? number : undefined;
}

function parseRange(text: string, least: number, most: number): NumberRange | undefined {
  const [from = "", to = from, ...more] = text.split("-");
  const min = parseWhole(from, least, most);
  const max = parseWhole(to, least, most);
  if (min === undefined || max === undefined || min > max || more.length > 0) return undefined;
  return { min, max };
}

function parseShare(text: string): number | undefined {
  const isDecimal = /^(?:[0-9]|[0-9]?\.[0-9]{1,16})$/.test(text);
  return isDecimal && Number(text) <= 1 ? Number(text) : undefined;
}

/** More pages would make long headers and long links. */
const MOST_RANGES = 50;

function parsePages(text: string): (NumberRange | "last")[] | undefined {
  const pages = text
    .split(",")
    .map((element) => (element === "last" ? element : parseRange(element, 1, Number.MAX_SAFE_INTEGER)));
  return pages.length <= MOST_RANGES && pages.every((range) => range !== undefined) ? pages : undefined;
}

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** @returns the milliseconds from one record to the next */
function parseGrowth(text: string): number | undefined {
  const [, number = "", unit = ""] = /^(\d+)\/(\w)$/.exec(text) ?? [];
  const records = parseWhole(number, 1, 1_000);
  const milliseconds = UNIT_MS[unit];
  return records && milliseconds && milliseconds / records;
}
