import * as syntax from "./option-syntax.ts";

export type OptionKind = "fault" | "condition" | "shared";

/** The documentation of an option. Warnings, docs/faults.md, the OpenAPI document and the API reference use it. */
interface OptionDescription {
  /** The valid values, as the end of a sentence: `delay must be EXPECTED`. */
  expected: string;
  /** What examples of the option do, such as `{ "code=503": "Responds with this status and its error" }`. */
  examples: Record<string, string>;
}

/** An option that changes or delays a response, or `none`, which says that nothing does. */
const fault = defineKind("fault");
/** An option that decides which requests have the faults of its rule. */
const condition = defineKind("condition");
/** An option that belongs to all rules, whichever of them has it. */
const shared = defineKind("shared");

function defineKind(kind: OptionKind) {
  return <Value>(value: syntax.Syntax<Value>, examples: Record<string, string>) => ({
    ...value,
    kind,
    examples,
  });
}

/** Every option of `prefer`, in the order of the documentation and of `Preference-Applied`. */
export const OPTIONS = {
  code: fault(syntax.integerBetween(400, 599), { "code=503": "Responds with this status and its error" }),
  delay: fault(syntax.milliseconds, {
    "delay=200-800": "Waits this time before the response, or a random time within a range",
  }),
  body: fault(syntax.oneOf("cut", "slow", "garbage", "empty", "html"), {
    "body=cut": "Closes the connection after half of the body",
    "body=slow": "Sends the body over 2 seconds, or over the time of `delay`",
    "body=garbage": "Sends invalid JSON",
    "body=empty": "Sends no body",
    "body=html": "Sends a page of HTML, as a proxy does if its service fails",
  }),
  hang: fault(syntax.noValue, { hang: "Sends no response for a minute, and then a 503" }),
  close: fault(syntax.noValue, { close: "Closes the connection before the response" }),
  "retry-after": fault(syntax.retryAfter, {
    "retry-after=9": "Sends these seconds in the `Retry-After` of the requested error, by default a 503",
    "retry-after=date": "Sends an HTTP date there, rounded up to a whole second",
    "retry-after=none": "Omits the header",
  }),
  rows: fault(syntax.oneOf("repeat", "drop", "swap"), {
    "rows=repeat": "Replaces a record of a page with a copy of another",
    "rows=drop": "Omits a record",
    "rows=swap": "Swaps two records with different timestamps",
  }),
  count: fault(syntax.difference, { "count=+1": "Adds this number to the `count` of a page" }),
  next: fault(syntax.oneOf("loop", "null", "skip"), {
    "next=loop": "Changes `next` to the same page",
    "next=null": "Changes `next` to null",
    "next=skip": "Changes `next` to the page after the next",
  }),
  record: fault(syntax.oneOf("float", "null", "missing", "extra", "offset"), {
    "record=float": "Changes a count in one record of a page to a fraction",
    "record=null": "Changes a count to null",
    "record=missing": "Omits a count",
    "record=extra": "Adds a field to a record",
    "record=offset": "Writes a timestamp with an offset instead of `Z`",
  }),
  grow: shared(syntax.growth, {
    "grow=15/m": "Serves a collection that grows by the clock, from part of the loaded records to all",
  }),
  on: condition(syntax.pages, { "on=3,7-9": "Applies the faults only to these pages" }),
  until: condition(syntax.utcTime, {
    "until=2030-01-31T12:00:00Z": "Applies the faults only before this time",
  }),
  times: condition(syntax.integerBetween(1, 1_000_000), {
    "times=2": "Applies the faults only N times to the same page with the same method and value of `run`",
  }),
  rate: condition(syntax.rate, {
    "rate=5/s":
      "Applies the faults only to the requests of a client above this rate: by default a 429 whose `Retry-After` is the time to the end of the second, minute or hour that its first request began",
  }),
  fail: condition(syntax.share, {
    "fail=0.1": "Applies the faults to this share of the requests, chosen at random",
  }),
  seed: shared(syntax.integerBetween(0, Number.MAX_SAFE_INTEGER), {
    "seed=4": "Makes random choices repeatable: they depend only on this number and the page",
  }),
  none: fault(syntax.noValue, { none: "Has no fault, and turns off the default options of the deployment" }),
};

/** The word between two rules. It is no option, because it has no value and no order. */
const ELSE: OptionDescription = {
  expected: "without a value",
  examples: {
    "code=503,times=1,else,body=cut,times=1":
      "Divides options into at most 20 rules. The first rule whose conditions are met applies",
  },
};

/** Every word of `prefer` with its documentation. */
export const DESCRIPTIONS: Record<string, OptionDescription> = { ...OPTIONS, else: ELSE };

type OptionName = keyof typeof OPTIONS;

export const OPTION_NAMES = Object.keys(OPTIONS).filter(isOptionName);

const FAULT_NAMES = listNames("fault");
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

/** Whether one of the options is of the kind `fault`. */
export function hasFault(values: OptionValues): boolean {
  return FAULT_NAMES.some((name) => values[name] !== undefined);
}
