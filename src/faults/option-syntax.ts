import { parseUtcTime } from "../records/utc-time.ts";

export interface Syntax<Value = unknown> {
  /** The valid values, as the end of a sentence: `delay must be EXPECTED`. */
  expected: string;
  /** Parses a value in lower case. Returns undefined if it is invalid. */
  parse(text: string): Value | undefined;
}

export const noValue: Syntax<true> = {
  expected: "without a value, or true in JSON",
  parse: (text) => (text === "" ? true : undefined),
};

export function integerBetween(min: number, max: number): Syntax<number> {
  const expected = `a whole number from ${min} to ${max}`;
  return { expected, parse: (text) => parseInteger(text, min, max) };
}

export const safeInteger: Syntax<number> = {
  expected: "a whole number, 0 or greater",
  parse: (text) => parseInteger(text, 0, Number.MAX_SAFE_INTEGER),
};

export function oneOf<T extends string>(...values: T[]): Syntax<T> {
  const expected = values.join(", ").replace(/, (?=\w+$)/, " or ");
  return { expected, parse: (text) => values.find((value) => value === text) };
}

/** A number from 0 to 1 in JavaScript notation, such as `1e-7`. */
export const share: Syntax<number> = {
  expected: "a decimal number from 0 to 1",
  parse(text) {
    const isDecimal = /^(?:\d+(?:\.\d+)?|\.\d+)(?:e-\d+)?$/.test(text);
    return isDecimal && Number(text) <= 1 ? Number(text) : undefined;
  },
};

/** The plus sign is optional, because an unencoded plus sign in a query means a space. */
export const difference: Syntax<number> = {
  expected: "an integer of at most 9 digits except 0, such as 1 or -5",
  parse: (text) => (/^[+-]?[1-9][0-9]{0,8}$/.test(text) ? Number(text) : undefined),
};

/** A number, or the numbers from `min` to `max`, both included. */
export type NumberOrRange = number | { min: number; max: number };

export const milliseconds: Syntax<NumberOrRange> = {
  expected: "milliseconds from 0 to 10000, or a range such as 200-800",
  parse: (text) => parseNumberOrRange(text, 0, 10_000),
};

export const pages: Syntax<(NumberOrRange | "last")[]> = {
  expected: "page numbers, ranges or last, such as 1,7-9",
  parse(text) {
    const parsePages = (part: string) =>
      part === "last" ? part : parseNumberOrRange(part, 1, Number.MAX_SAFE_INTEGER);
    const ranges = text.split(",").map(parsePages);
    return ranges.every((range) => range !== undefined) ? ranges : undefined;
  },
};

export const utcTime: Syntax<Date> = {
  expected: "a time in UTC such as 2030-01-31T12:00:00Z",
  parse(text) {
    const time = text.endsWith("z") ? parseUtcTime(text.toUpperCase()) : undefined;
    return time === undefined ? undefined : new Date(time);
  },
};

export type TimeUnit = (typeof TIME_UNITS)[number];

const TIME_UNITS = ["s", "m", "h"] as const;

export const UNIT_MS: Record<TimeUnit, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

export type Growth = { records: number; per: TimeUnit };

export const growth: Syntax<Growth> = {
  expected: "1 to 1000 records per s, m or h, such as 15/m",
  parse: (text) => parseFrequency(text, (records, per) => ({ records, per })),
};

type Rate = { requests: number; per: TimeUnit };

export const rate: Syntax<Rate> = {
  expected: "1 to 1000 requests per s, m or h, such as 5/s",
  parse: (text) => parseFrequency(text, (requests, per) => ({ requests, per })),
};

export const retryAfter: Syntax<number | "none" | "date"> = {
  expected: "none, date or seconds from 0 to 86400",
  parse: (text) => (text === "none" || text === "date" ? text : parseInteger(text, 0, 86_400)),
};

function parseInteger(text: string, min: number, max: number): number | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const number = Number(text);
  return number >= min && number <= max ? number : undefined;
}

/** Parses a number from 1 to 1,000 and a unit of time, such as `15/m`. */
function parseFrequency<T>(text: string, create: (count: number, per: TimeUnit) => T): T | undefined {
  const per = TIME_UNITS.find((unit) => text.endsWith(`/${unit}`));
  const count = parseInteger(text.slice(0, -"/m".length), 1, 1_000);
  return per === undefined || count === undefined ? undefined : create(count, per);
}

function parseNumberOrRange(text: string, lowest: number, highest: number): NumberOrRange | undefined {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) return parseInteger(text, lowest, highest);
  const min = parseInteger(from, lowest, highest);
  const max = parseInteger(to, lowest, highest);
  const isRange = min !== undefined && max !== undefined && min <= max;
  return isRange ? { min, max } : undefined;
}

export function toRange(value: NumberOrRange): { min: number; max: number } {
  return typeof value === "number" ? { min: value, max: value } : value;
}

/**
 * Formats the value of an option, so that `parse` returns an equal value. Callers of the package can pass anything else, whose text `parse`
 * then rejects.
 */
export function formatOptionValue(value: unknown): string {
  // Only one level of lists: `[[7, 9]]` could mean two pages or a range.
  return Array.isArray(value) ? value.map(formatPart).join(",") : formatPart(value);
}

function formatPart(value: unknown): string {
  if (value === true) return "";
  // An invalid date has no JSON.
  if (value instanceof Date) return String(value.toJSON() ?? value).replace(".000Z", "Z");
  if (typeof value !== "object" || value === null) return String(value);
  if ("min" in value && "max" in value) return `${value.min}-${value.max}`;
  if ("records" in value && "per" in value) return `${value.records}/${value.per}`;
  if ("requests" in value && "per" in value) return `${value.requests}/${value.per}`;
  return JSON.stringify(value);
}
