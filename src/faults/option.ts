import type { HttpError } from "../http/errors.ts";
import type { HiddenCount, PageLocation } from "../records/page.ts";
import type { RandomSource } from "./random.ts";

/** A request with preferences, as conditions and faults see it. */
export interface FaultContext {
  method: string;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
  random: RandomSource;
  /** Counts the request, and returns how many there were, this one included. */
  count(): number;
  /** Serves the request. Returns undefined if the response is not a page. */
  getPage(): Promise<PageLocation | undefined>;
}

/** How long a response waits, and how long sending its body takes. */
export type Wait = { beforeMs?: number; bodyMs?: number };

/** A page that a fault can change. */
export interface ChangedPage extends Record<string, unknown> {
  count: number;
  next: string | null;
  results: Record<string, unknown>[];
}

/** An option of `prefer`: its syntax, and its effect. Its warnings and its part of the OpenAPI document are made from this object. */
export interface Option<Value = unknown> {
  /** The valid values, as they follow `must be`. */
  value: string;
  /** All of them, if they are words. */
  values?: string[];
  description: string;
  example: string;
  /** Returns undefined if the text, which is in lower case, is not a valid value. */
  parse(text: string): Value | undefined;
  /** Makes the option a condition: whether it lets the request have faults. */
  allows?(value: Value, request: FaultContext): boolean | Promise<boolean>;
  /** Whether the condition does not apply to a delay. */
  exemptsDelay?: true;
  /** Makes the option a view: returns how many of the newest records are hidden. */
  createView?(value: Value, now: number): HiddenCount;
  changeWait?(wait: Wait, value: Value, random: RandomSource): void;
  /** Replaces the response, or the error of an option that comes before. Nothing else changes a `Response`. */
  replace?(value: Value, request: FaultContext, error?: HttpError): HttpError | Response;
  /** Changes the error of another option. Returns whether it did. */
  changeError?(error: HttpError, value: Value, request: FaultContext): boolean;
  /** Changes a page. Returns false if that is not possible. */
  changePage?(page: ChangedPage, value: Value, random: number): boolean;
  /** Changes how the body is sent. Calls `end` when a slow body is sent or canceled. */
  changeBody?(response: Response, value: Value, wait: Wait, end: () => void): Promise<Response>;
  /** Whether nothing of a page is left in the changed body. */
  hidesPage?(value: Value): boolean;
}

/** Infers the type of the values from `parse`, for the other functions of an option. */
export const defineOption = <Value>(option: Option<Value>): Option<Value> => option;

export const noValue = { value: "without a value", parse: (text: string) => text === "" || undefined };

export function integerBetween(min: number, max: number) {
  const value = `a whole number from ${min} to ${max}`;
  return { value, parse: (text: string) => parseInteger(text, min, max) };
}

export function oneOf<T extends string>(...values: T[]) {
  const value = values.join(", ").replace(/, (?=\w+$)/, " or ");
  return { value, values, parse: (text: string) => values.find((value) => value === text) };
}

/** Accepts few digits, because `Preference-Applied` repeats them. */
export function parseInteger(text: string, min: number, max: number): number | undefined {
  if (!/^[0-9]{1,16}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= min && number <= max ? number : undefined;
}

/** Both ends included. */
export function parseRange(text: string, lowest: number, highest: number) {
  const [from = "", to = from, ...more] = text.split("-");
  const min = parseInteger(from, lowest, highest);
  const max = parseInteger(to, lowest, highest);
  if (min === undefined || max === undefined || min > max || more.length > 0) return undefined;
  return { min, max };
}
