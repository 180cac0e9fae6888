import * as z from "zod";
import { requireFaultOptions } from "../../src/faults/fault-options.ts";
import { formatRules } from "../../src/faults/rules.ts";
import type { Prefer, ServiceOptions } from "./index.d.ts";

const Options = z
  .strictObject({
    records: z.custom((value) => Symbol.iterator in Object(value), "It must be an array or another iterable"),
    files: z.array(z.string()).min(1, "It must name a file"),
    modelName: z.literal("tf1"),
    now: z.custom((value) => typeof value === "function", "It must be a function"),
    publicOrigin: z.string(),
    prefer: z.union(
      [z.string(), z.looseObject({}), z.array(z.looseObject({}))],
      "It must be a string, an object or an array of objects",
    ),
  })
  .partial()
  .refine(({ records, files }) => !(records && files), "Set records or files, not both");

/** Thrown if an option is unknown, or has a value of another type. */
export class InvalidOptionsError extends TypeError {}

/**
 * Checks the shape of the options. Records, files, the origin and the faults are checked where they are used.
 * @throws InvalidOptionsError
 */
export function requireServiceOptions(options: ServiceOptions): void {
  const { error } = Options.safeParse(options);
  if (error) throw new InvalidOptionsError(`Invalid options:\n${z.prettifyError(error)}`);
}

/**
 * Formats faults for the setting PREFER.
 * @throws Error if an option is unknown or invalid
 */
export function formatFaults(faults: Prefer): string {
  return formatRules(requireFaultOptions("prefer", faults).rules);
}
