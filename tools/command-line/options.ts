import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { InvalidArgumentError } from "commander";

/** Makes a parser of a whole number for commander. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
    throw new InvalidArgumentError(`It must be a whole number, ${range}.`);
  };
}

/** Parses a day or a moment in UTC, for commander. */
export function date(text: string): Date {
  const value = new Date(text);
  const shape = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/;
  // JavaScript takes 30 February for 1 March.
  if (shape.test(text) && !Number.isNaN(+value) && value.toISOString().startsWith(text.slice(0, 10)))
    return value;
  throw new InvalidArgumentError("It must be a date in UTC, YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ.");
}

/** Parses a duration such as `30m` or `1h` into minutes, for commander. */
export function minutes(text: string): number {
  const [, number, unit] = /^(\d+)(m|h)$/.exec(text) ?? [];
  const value = Number(number) * (unit === "h" ? 60 : 1);
  if (value >= 1) return value;
  throw new InvalidArgumentError("It must be minutes or hours, 30m or 1h for example.");
}

/** Takes the path of a file to write at the end of long work, for commander, if it can be written. Leaves what is there. */
export function writableFile(path: string): string {
  const there = statSync(path, { throwIfNoEntry: false });
  // Whoever reads a pipe would take its closing for the end.
  if (there && !there.isFile() && !there.isDirectory()) return path;
  try {
    closeSync(openSync(path, "a"));
  } catch (error) {
    throw new InvalidArgumentError(
      `It cannot be written: ${error instanceof Error ? error.message : error}.`,
    );
  }
  if (!there) rmSync(path);
  return path;
}
