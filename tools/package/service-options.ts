import { requireOrigin } from "../../src/http/request.ts";
import { requirePreferences } from "../../src/mock/prefer.ts";
import type { ServiceOptions } from "./index.d.ts";

const isText = (value: unknown) => typeof value === "string";

/** What each option must be, and whether a value is that. */
const RULES: Record<keyof ServiceOptions, [what: string, isValid: (value: unknown) => boolean]> = {
  records: [
    "an array, or anything else that is iterable",
    (value) => typeof Object(value)[Symbol.iterator] === "function",
  ],
  files: ["an array of paths", (value) => Array.isArray(value) && value.every(isText)],
  modelName: ['"tf1"', (value) => value === "tf1"],
  now: ["a function", (value) => typeof value === "function"],
  publicOrigin: ["a text", isText],
  prefer: ["a text", isText],
};

/** @throws Error if an option of a service is wrong */
export function requireServiceOptions(options: ServiceOptions): void {
  if (Object(options) !== options) throw new TypeError("createService takes an object with options.");
  const rules = new Map(Object.entries(RULES));
  for (const [name, value] of Object.entries(options)) {
    const [what, isValid] = rules.get(name) ?? [];
    if (!isValid)
      throw new TypeError(
        `createService has no option ${name}. Its options are ${[...rules.keys()].join(", ")}.`,
      );
    if (value !== undefined && !isValid(value)) throw new TypeError(`The option ${name} must be ${what}.`);
  }
  const { records, files, publicOrigin, prefer = "" } = options;
  if (records && files) throw new TypeError("A service has records or files, not both.");
  requirePreferences("prefer", prefer);
  if (publicOrigin) requireOrigin("publicOrigin", publicOrigin);
}
