import type { Preference } from "./prefer-header.ts";

/** The faults of a response body. */
export const BODY_FAULTS = ["cut", "garbage", "empty", "slow"] as const;
export type BodyFault = (typeof BODY_FAULTS)[number];

/** Milliseconds, both ends included. */
export interface Range {
  min: number;
  max: number;
}

/** The options of the mock in a request; undefined if an option is absent or has an invalid value. */
export interface MockOptions {
  /** The status to respond with, 400 to 599. */
  code: number | undefined;
  delay: Range | undefined;
  /** The share of requests that fail, 0 to 1. */
  fail: number | undefined;
  seed: number | undefined;
  body: BodyFault | undefined;
}

/** Clients give up after some seconds, and a response must not wait for longer. */
const LONGEST_DELAY_MS = 10_000;

/** Every option, for the documentation and for warnings. */
export const OPTION_DOCS = [
  {
    name: "code",
    value: "a whole number from 400 to 599",
    description: "Responds with this status and its error",
    example: "code=503",
  },
  {
    name: "delay",
    value: `milliseconds from 0 to ${LONGEST_DELAY_MS}, or a range of them such as 200-800`,
    description: "Waits before the response; with a range, waits a random time within it",
    example: "delay=200-800",
  },
  {
    name: "fail",
    value: "a decimal number from 0 to 1",
    description: "Makes this share of the requests fail, with 503 or as code and body say",
    example: "fail=0.1",
  },
  {
    name: "seed",
    value: `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
    description:
      "Makes random choices repeatable: they depend only on this number and the method, path and query of the request",
    example: "seed=4",
  },
  {
    name: "body",
    value: BODY_FAULTS.join(", ").replace(/, (?=\w+$)/, " or "),
    description:
      "Closes the connection in the middle of the body (cut), sends invalid JSON (garbage), sends no body (empty), " +
      "or sends it over 5 seconds (slow)",
    example: "body=cut",
  },
] as const;

type OptionName = (typeof OPTION_DOCS)[number]["name"];

/**
 * Reads the options of a request. If an option is repeated, the first one counts, and unknown preferences are ignored
 * (RFC 7240, 2).
 * @param preferences in their order of precedence
 * @returns the options, and a sentence about each option that is ignored because its value is invalid. The sentences are
 *   printable ASCII, because a header carries them.
 */
export function readOptions(preferences: Preference[]): { options: MockOptions; warnings: string[] } {
  const warnings: string[] = [];
  const read = <T>(name: OptionName, parse: (value: string) => T | undefined): T | undefined => {
    const preference = preferences.find((one) => one.name === name);
    if (!preference) return undefined;
    const value = parse(preference.value.toLowerCase());
    if (value === undefined) warnings.push(writeWarning(name, preference.text));
    return value;
  };
  const options = {
    code: read("code", (value) => parseWhole(value, 400, 599)),
    delay: read("delay", parseRange),
    fail: read("fail", parseShare),
    seed: read("seed", (value) => parseWhole(value, 0, Number.MAX_SAFE_INTEGER)),
    body: read("body", (value) => BODY_FAULTS.find((fault) => fault === value)),
  };
  return { options, warnings };
}

function parseWhole(text: string, least: number, most: number): number | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  const number = Number(text);
  return number >= least && number <= most ? number : undefined;
}

function parseRange(text: string): Range | undefined {
  const [from = "", to = from, ...more] = text.split("-");
  const min = parseWhole(from, 0, LONGEST_DELAY_MS);
  const max = parseWhole(to, 0, LONGEST_DELAY_MS);
  if (min === undefined || max === undefined || min > max || more.length > 0) return undefined;
  return { min, max };
}

function parseShare(text: string): number | undefined {
  if (!/^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/.test(text)) return undefined;
  const share = Number(text);
  return share <= 1 ? share : undefined;
}

/** How many characters of a preference a warning repeats. */
const LONGEST_QUOTE = 40;

function writeWarning(name: OptionName, text: string): string {
  const { value } = OPTION_DOCS.find((one) => one.name === name) ?? { value: "" };
  const quote = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}...` : text;
  return `${quote.replaceAll(/[^\x20-\x7e]/g, "?")} is ignored: ${name} must be ${value}`;
}
