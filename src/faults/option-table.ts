import {
  difference,
  growth,
  integerBetween,
  milliseconds,
  noValue,
  oneOf,
  pages,
  rate,
  retryAfter,
  type Syntax,
  share,
  utcTime,
} from "./option-syntax.ts";

type OptionKind = "change" | "delay" | "condition" | "view" | "modifier";

/** The syntax and the documentation of an option. Warnings, the OpenAPI document and the API reference use them. */
export interface Option<Value = unknown> extends Syntax<Value> {
  kind: OptionKind;
  example: string;
  description: string;
}

/** An option that changes a response in a way that its client sees. */
const change = defineKind("change");
/** An option that only delays a response. */
const delay = defineKind("delay");
/** An option that decides which requests have faults. */
const condition = defineKind("condition");
/** An option that hides records. */
const view = defineKind("view");
/** An option that has no effect without another one. */
const modifier = defineKind("modifier");

function defineKind(kind: OptionKind) {
  return <Value>(example: string, syntax: Syntax<Value>, description: string): Option<Value> => ({
    ...syntax,
    kind,
    example,
    description,
  });
}

/** Every option of `prefer`, in the order of the documentation and of `Preference-Applied`. */
export const OPTIONS = {
  code: change("code=503", integerBetween(400, 599), "Responds with this status and its error"),
  delay: delay(
    "delay=200-800",
    milliseconds,
    "Waits this time before the response, or a random time within a range",
  ),
  body: change(
    "body=cut",
    oneOf("cut", "slow", "garbage", "empty"),
    "Closes the connection after half of the body (cut), sends the body over 2 seconds or over the time of delay (slow), or sends invalid JSON (garbage) or no body (empty)",
  ),
  hang: change("hang", noValue, "Sends no response for a minute, and then a 503"),
  close: change("close", noValue, "Closes the connection before the response"),
  "retry-after": modifier(
    "retry-after=date",
    retryAfter,
    "Changes the Retry-After header of a requested 429 or 503: omits it (none), sends an HTTP date (date), or sends this number of seconds",
  ),
  rows: change(
    "rows=repeat",
    oneOf("repeat", "drop", "swap"),
    "Replaces a record of a page with a copy of another (repeat), omits a record (drop), or swaps two records with different timestamps (swap)",
  ),
  count: change("count=+1", difference, "Adds this number to the count of a page"),
  next: change(
    "next=loop",
    oneOf("loop", "null", "skip"),
    "Changes next to the same page (loop), to null (null), or to the page after the next (skip)",
  ),
  record: change(
    "record=missing",
    oneOf("float", "null", "missing", "extra", "offset"),
    "In one record of a page, changes a count to a fraction (float) or null (null), omits a count (missing), adds a field (extra), or writes the timestamp with an offset instead of Z (offset)",
  ),
  grow: view(
    "grow=15/m",
    growth,
    "Serves a collection that grows by the clock, from part of the loaded records to all",
  ),
  on: condition("on=3,7-9", pages, "Applies the faults only to these pages"),
  until: condition("until=2030-01-31T12:00:00Z", utcTime, "Applies the faults only before this time"),
  times: condition(
    "times=2",
    integerBetween(1, 1_000_000),
    "Applies the faults only to the first N requests for the same page",
  ),
  rate: condition(
    "rate=5/s",
    rate,
    "Applies the faults only to the requests of a client above this rate: by default a 429 whose Retry-After is the time to the end of the second, minute or hour",
  ),
  fail: condition(
    "fail=0.1",
    share,
    "Applies the faults to this share of the requests, chosen at random; delay applies to all",
  ),
  seed: modifier(
    "seed=4",
    integerBetween(0, Number.MAX_SAFE_INTEGER),
    "Makes random choices repeatable: they depend only on this number, the method and the page",
  ),
  none: modifier("none", noValue, "Turns off the default options of the deployment for this request"),
};

export type OptionName = keyof typeof OPTIONS;

export const OPTION_NAMES = Object.keys(OPTIONS).filter(isOptionName);

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name);
}

export type OptionValue<Name extends OptionName> = NonNullable<ReturnType<(typeof OPTIONS)[Name]["parse"]>>;

/** The parsed values of some options, such as `{ code: 503, times: 1 }`. */
export type OptionValues = { [Name in OptionName]?: OptionValue<Name> | undefined };

export function hasKind(values: OptionValues, kind: OptionKind): boolean {
  return OPTION_NAMES.some((name) => OPTIONS[name].kind === kind && values[name] !== undefined);
}

/** Whether a client sees the faults in the response, and not only in its time. */
export function hasVisibleFault(values: OptionValues): boolean {
  return hasKind(values, "change");
}

/** Whether the options change or delay a response. */
export function hasFault(values: OptionValues): boolean {
  return hasVisibleFault(values) || hasKind(values, "delay");
}
