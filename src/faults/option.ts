import type { HttpError } from "../http/errors.ts";
import type { PageLocation } from "../records/page.ts";
import type { RandomSource } from "./random.ts";

/** A request, as conditions and faults see it. */
export interface FaultContext {
  method: string;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
  random: RandomSource;
  /** Counts the request. Returns the number of equal requests so far, including this one. */
  count(): number;
  /** Serves the request. Returns undefined if the response is not a page. */
  getPage(): Promise<PageLocation | undefined>;
}

/** How long a response waits, and how long sending its body takes. */
export type Wait = { beforeMs?: number; bodyMs?: number };

/** The JSON of a page that a fault can change. */
export interface MutablePage extends Record<string, unknown> {
  count: number;
  next: string | null;
  results: Record<string, unknown>[];
}

/** An option of `prefer`: its syntax and its effect. The warnings, the OpenAPI document and the API reference use these objects. */
export interface Option<Value = unknown> {
  /** The valid values, as the end of a sentence: `delay must be EXPECTED`. */
  expected: string;
  /** The valid values as a list, if they are words. */
  values?: string[];
  description: string;
  example: string;
  /** Parses a value in lower case. Returns undefined if it is invalid. */
  parse(text: string): Value | undefined;
  /** Makes the option a condition: returns whether the request can have faults. */
  allows?(value: Value, context: FaultContext): boolean | Promise<boolean>;
  /** Whether the condition does not apply to `delay`. */
  exemptsDelay?: true;
  /** Makes the option hide records: returns how many of the newest records are hidden, given the number of loaded records. */
  getHiddenCount?(value: Value, now: number, total: number): number;
  /** Returns the wait of the response. `wait` is the result of the previous options. */
  getWait?(value: Value, wait: Wait, random: RandomSource): Wait;
  /** Replaces the response, or the error of a previous option. Only an `HttpError` can be changed by later options. */
  replace?(value: Value, context: FaultContext, error?: HttpError): HttpError | Response;
  /** Changes the error of a previous option. Returns false if that is not possible. */
  changeError?(error: HttpError, value: Value, context: FaultContext): boolean;
  /** Changes a page. Returns false if that is not possible. */
  changePage?(page: MutablePage, value: Value, random: number): boolean;
  /** Changes how the body is sent. Calls `end` when a slow body was sent or canceled. */
  changeBody?(response: Response, value: Value, wait: Wait, end: () => void): Promise<Response>;
  /** Whether the changed body contains nothing of the page. */
  hidesPage?(value: Value): boolean;
}

/** Infers the type of the values from `parse`, for the other functions of an option. */
export const defineOption = <Value>(option: Option<Value>): Option<Value> => option;

export const noValue = { expected: "without a value", parse: (text: string) => text === "" || undefined };

export function integerBetween(min: number, max: number) {
  const expected = `a whole number from ${min} to ${max}`;
  return { expected, parse: (text: string) => parseInteger(text, min, max) };
}

export function oneOf<T extends string>(...values: T[]) {
  const expected = values.join(", ").replace(/, (?=\w+$)/, " or ");
  return { expected, values, parse: (text: string) => values.find((value) => value === text) };
}

/** Accepts at most 16 digits, because `Preference-Applied` repeats them. */
export function parseInteger(text: string, min: number, max: number): number | undefined {
  if (!/^[0-9]{1,16}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= min && number <= max ? number : undefined;
}

/** Parses a range such as `7-9`, which includes both ends, or a single number. */
export function parseRange(text: string, lowest: number, highest: number) {
  const [from = "", to = from, ...rest] = text.split("-");
  const min = parseInteger(from, lowest, highest);
  const max = parseInteger(to, lowest, highest);
  if (min === undefined || max === undefined || min > max || rest.length > 0) return undefined;
  return { min, max };
}
