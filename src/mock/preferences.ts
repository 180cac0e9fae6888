import type { Preference } from "./prefer.ts";

/** What can be done to the body of an answer. */
export const BODY_FAULTS = ["cut", "garbage", "empty", "slow"] as const;
export type BodyFault = (typeof BODY_FAULTS)[number];

/** Milliseconds, both ends included. */
export interface Span {
  min: number;
  max: number;
}

/** What a request asks for; undefined where it does not, or not well enough. */
export interface Plan {
  /** The status to answer with, 400 to 599. */
  code: number | undefined;
  delay: Span | undefined;
  /** The share of requests that fail, 0 to 1. */
  fail: number | undefined;
  seed: number | undefined;
  body: BodyFault | undefined;
  /** A sentence for each preference that is ignored, for people. Printable ASCII, since a header carries it. */
  warnings: string[];
}

/** The longest delay in milliseconds: clients give up some seconds later, and nothing here should outlast them. */
const LONGEST_DELAY = 10_000;

/** Every preference, for documentation. */
export const PREFERENCES = [
  {
    name: "code",
    value: "a whole number from 400 to 599",
    description: "Answers with this status and its error",
    example: "code=503",
  },
  {
    name: "delay",
    value: `milliseconds from 0 to ${LONGEST_DELAY}, or two of them with a hyphen between`,
    description: "Waits first; of two times, one between them is drawn",
    example: "delay=200-800",
  },
  {
    name: "fail",
    value: "a decimal number from 0 to 1",
    description: "Fails this share of the requests: with 503, or as code and body say",
    example: "fail=0.1",
  },
  {
    name: "seed",
    value: `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
    description: "Draws from this number and the request's method, path and query, so that a test replays",
    example: "seed=4",
  },
  {
    name: "body",
    value: BODY_FAULTS.join(", ").replace(/, (?=\w+$)/, " or "),
    description:
      "Cuts the connection in the middle of the body; or answers no JSON, or nothing, or drips for 5 seconds",
    example: "body=cut",
  },
] as const;

type PreferenceName = (typeof PREFERENCES)[number]["name"];

/**
 * Reads what a request asks for. Of a repeated preference the first one counts, and one that is unknown is ignored
 * (RFC 7240, 2).
 * @param preferences in the order in which they count
 */
export function readPlan(preferences: Preference[]): Plan {
  const warnings: string[] = [];
  const read = <T>(name: PreferenceName, parse: (value: string) => T | undefined): T | undefined => {
    const preference = preferences.find((one) => one.name === name);
    if (!preference) return undefined;
    const value = parse(preference.value.toLowerCase());
    if (value === undefined) warnings.push(writeWarning(name, preference.text));
    return value;
  };
  return {
    code: read("code", (value) => parseWhole(value, 400, 599)),
    delay: read("delay", parseSpan),
    fail: read("fail", parseShare),
    seed: read("seed", (value) => parseWhole(value, 0, Number.MAX_SAFE_INTEGER)),
    body: read("body", (value) => BODY_FAULTS.find((fault) => fault === value)),
    warnings,
  };
}

function parseWhole(text: string, least: number, most: number): number | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  const number = Number(text);
  return number >= least && number <= most ? number : undefined;
}

function parseSpan(text: string): Span | undefined {
  const [from = "", to = from, ...more] = text.split("-");
  const min = parseWhole(from, 0, LONGEST_DELAY);
  const max = parseWhole(to, 0, LONGEST_DELAY);
  if (min === undefined || max === undefined || min > max || more.length > 0) return undefined;
  return { min, max };
}

function parseShare(text: string): number | undefined {
  if (!/^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/.test(text)) return undefined;
  const share = Number(text);
  return share <= 1 ? share : undefined;
}

/** How much of a preference a warning repeats. */
const LONGEST_QUOTE = 40;

function writeWarning(name: PreferenceName, text: string): string {
  const { value } = PREFERENCES.find((one) => one.name === name) ?? { value: "" };
  const quote = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}...` : text;
  return `${quote.replaceAll(/[^\x20-\x7e]/g, "?")} is ignored: ${name} must be ${value}`;
}
