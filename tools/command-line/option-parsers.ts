import { InvalidArgumentError } from "commander";
import { parseUtcTime } from "../../src/records/utc-time.ts";

// Parsers of option values for commander, which prints the message of an `InvalidArgumentError` and exits.

export function createWholeNumberParser(min: number, max = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
    throw new InvalidArgumentError(`It must be a whole number, ${range}.`);
  };
}

/** Parses a date, or a date and time, in UTC. */
export function parseDate(text: string): Date {
  const time = text.includes(".") ? undefined : parseUtcTime(text);
  if (time !== undefined) return new Date(time);
  throw new InvalidArgumentError("It must be a date in UTC, YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ.");
}

/** Parses a duration such as `30m` or `1h`. */
export function parseMinutes(text: string): number {
  const [, number, unit] = /^(\d+)(m|h)$/.exec(text) ?? [];
  const value = Number(number) * (unit === "h" ? 60 : 1);
  if (value >= 1) return value;
  throw new InvalidArgumentError("It must be a number of minutes or hours, such as 30m or 1h.");
}

/** Names of standard output, which cannot be replaced by a finished file. */
const STANDARD_OUTPUT = /^\/(dev\/(stdout|fd\/1)|proc\/self\/fd\/1)$/;

/** Parses a path or another text, which must not be empty. */
export function parseText(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must not be empty.");
}

/** Parses the value of `--out`. Returns a path, or `-` for any name of standard output. */
export function parseOut(text: string): string {
  return STANDARD_OUTPUT.test(text) ? "-" : parseText(text);
}
