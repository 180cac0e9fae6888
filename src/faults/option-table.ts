import * as syntax from "./option-syntax.ts";

/**
 * A fault changes or delays a response, or is `none`: no fault on purpose. A condition decides which requests have the faults of its rule. A
 * shared option belongs to all rules, whichever of them has it.
 */
export type OptionKind = "fault" | "condition" | "shared";

/** The documentation of an option. Warnings, docs/faults.md, the OpenAPI document and the API reference use it. */
interface OptionDescription extends Pick<syntax.Syntax, "expected"> {
  /** What examples of the option do, such as `{ "code=503": "Responds with this status and its error" }`. */
  examples: Record<string, string>;
}

/** Defines an option by its kind, its valid values and its documentation. */
function define<Value>(kind: OptionKind, value: syntax.Syntax<Value>, examples: Record<string, string>) {
  return { ...value, kind, examples };
}

/** Every option of `prefer`, in the order of the documentation and of `Preference-Applied`. */
export const OPTIONS = {
  code: define("fault", syntax.integerBetween(400, 599), {
    "code=503": "Responds with this status and its error",
  }),
  delay: define("fault", syntax.milliseconds, {
    "delay=200-800": "Waits this time before the response, or a random time within a range",
  }),
  body: define("fault", syntax.oneOf("cut", "slow", "garbage", "empty", "html"), {
    "body=cut": "Closes the connection after half of the body",
    "body=slow": "Sends the body over 2 seconds, or over the time of `delay`",
    "body=garbage": "Sends invalid JSON",
    "body=empty": "Sends no body",
    "body=html": "Sends a page of HTML, as a proxy does if its service fails",
  }),
  hang: define("fault", syntax.noValue, { hang: "Sends no response for a minute, and then a 503" }),
  close: define("fault", syntax.noValue, { close: "Closes the connection before the response" }),
  "retry-after": define("fault", syntax.retryAfter, {
    "retry-after=9": "Sends these seconds in the `Retry-After` of the requested error, by default a 503",
    "retry-after=date": "Sends `Retry-After` as an HTTP date, rounded up to a whole second",
    "retry-after=none": "Omits `Retry-After`",
  }),
  rows: define("fault", syntax.oneOf("repeat", "drop", "swap"), {
    "rows=repeat": "Replaces a record of a page with a copy of another",
    "rows=drop": "Omits a record",
    "rows=swap": "Swaps two records with different timestamps",
  }),
  count: define("fault", syntax.difference, { "count=+1": "Adds this number to the `count` of a page" }),
  next: define("fault", syntax.oneOf("loop", "null", "skip"), {
    "next=loop": "Changes `next`, if it is not null, to the same page",
    "next=null": "Changes `next`, if it is not null, to null",
    "next=skip": "Changes `next`, if it is not null, to the page after the next",
  }),
  record: define("fault", syntax.oneOf("float", "null", "missing", "extra", "offset"), {
    "record=float": "Changes a count in one record of a page to a fraction",
    "record=null": "Changes a count to null",
    "record=missing": "Omits a count",
    "record=extra": "Adds a field to a record",
    "record=offset": "Writes a timestamp with an offset instead of `Z`",
  }),
  grow: define("shared", syntax.growth, {
    "grow=15/m": "Serves a collection that grows by the clock, from part of the loaded records to all",
  }),
  on: define("condition", syntax.pages, { "on=1,7-9": "Applies the faults only to these pages" }),
  until: define("condition", syntax.utcTime, {
    "until=2030-01-31T12:00:00Z": "Applies the faults only before this time",
  }),
  times: define("condition", syntax.integerBetween(1, 1_000_000), {
    "times=2": "Applies the faults only N times to the same page with the same method and value of `run`",
  }),
  rate: define("condition", syntax.rate, {
    "rate=5/s":
      "Applies the faults only to requests above this rate, for each client and value of `run`: by default a 429, whose `Retry-After` says when the second, minute or hour ends, which began with the first request",
  }),
  fail: define("condition", syntax.share, {
    "fail=0.1": "Applies the faults to this share of the requests, chosen at random",
  }),
  seed: define("shared", syntax.safeInteger, {
    "seed=4": "Makes random choices repeatable: they depend only on this number and the page",
  }),
  none: define("fault", syntax.noValue, {
    none: "Has no fault, and turns off the default options of the deployment",
  }),
};

/** The word between two rules. It belongs to none of them, so it is no option. */
const ELSE: OptionDescription = {
  expected: "without a value",
  examples: {
    "code=503,times=1,else,body=cut,times=1":
      "Divides options into at most 20 rules. The first rule whose conditions are met applies",
  },
};

/** Every word of `prefer` with its documentation. */
export const DESCRIPTIONS: Record<string, OptionDescription> = { ...OPTIONS, else: ELSE };

export type OptionName = keyof typeof OPTIONS;

export const OPTION_NAMES = Object.keys(OPTIONS).filter(isOptionName);

export const FAULT_NAMES = listNames("fault");
export const CONDITION_NAMES = listNames("condition");
export const SHARED_NAMES = listNames("shared");

function listNames(kind: OptionKind): OptionName[] {
  return OPTION_NAMES.filter((name) => OPTIONS[name].kind === kind);
}

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name);
}

export type OptionValue<Name extends OptionName> = NonNullable<ReturnType<(typeof OPTIONS)[Name]["parse"]>>;

/** The parsed values of some options, such as `{ code: 503, times: 1 }`. */
export type OptionValues = { [Name in OptionName]?: OptionValue<Name> | undefined };

/** Formats options as in the parameter `prefer`, each as a text such as `code=503` or `on=3,7-9`. */
export function formatOptions(values: OptionValues): string[] {
  const names = OPTION_NAMES.filter((name) => values[name] !== undefined);
  return names.map((name) => formatOption(name, syntax.formatOptionValue(values[name])));
}

/** @param value Empty for an option without a value, such as `hang` */
export function formatOption(name: string, value: string): string {
  return value === "" ? name : `${name}=${value}`;
}

/** Whether one of the options is of the kind `fault`. */
export function hasFault(values: OptionValues): boolean {
  return FAULT_NAMES.some((name) => values[name] !== undefined);
}
