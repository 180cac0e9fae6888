import { InvalidArgumentError } from "commander";

/**
 * Takes the name of a branch, for commander.
 * @throws InvalidArgumentError if it is empty, as a variable of the shell that is not set makes it
 */
export function branchName(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must be the name of a branch.");
  return text;
}

/** Scheme, host and port of an address that consists of nothing else; undefined of any other text. */
export function readOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined;
}

/**
 * Takes the address of a service, for commander.
 * @throws InvalidArgumentError if it is no address, or has a path
 */
export function serviceAddress(text: string): string {
  const origin = readOrigin(text);
  if (origin !== undefined) return origin;
  throw new InvalidArgumentError("It must be an address without a path, https://counts.example say.");
}
