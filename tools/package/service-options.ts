import * as z from "zod";
import { SettingError } from "../../src/bindings.ts";
import { requireFaultOptions } from "../../src/faults/fault-options.ts";
import { formatRules } from "../../src/faults/rules.ts";
import type { ServiceOptions } from "./index.d.ts";

export const ServiceSchema = z
  .strictObject({
    records: z.custom((value) => Symbol.iterator in Object(value), "It must be an array or another iterable"),
    files: z.array(z.string()).min(1, "It must name a file"),
    modelName: z.literal("tf1"),
    now: z.custom(
      (value) => typeof value === "function" && Number.isFinite(value()),
      "It must be a function that returns milliseconds since 1970",
    ),
    source: z.string().min(1, "It must not be empty"),
    publicOrigin: z.string(),
    faults: z.enum(["on", "off"]),
    prefer: z.union(
      [z.string(), z.looseObject({}), z.array(z.looseObject({}))],
      "It must be a string, an object or an array of objects",
    ),
  })
  .partial()
  .refine(({ records, files }) => !(records && files), "Set records or files, not both")
  .refine(({ records, files, source }) => records || files || !source, "The sample data has its own source");

/** Not PEM itself: messages would quote the key. */
const PemPath = z.string().regex(/^.+$/, "It must be the path of a file");

export const ListenSchema = z
  .strictObject({ port: z.int().min(0).max(65_535), host: z.string().min(1), cert: PemPath, key: PemPath })
  .partial()
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), "Set both cert and key, or none");

/** Thrown if an option is unknown, or has a value of another type. */
export class InvalidOptionsError extends TypeError {}

/**
 * Checks the shape of options. Records, files, the origin and the faults are checked where they are used.
 * @throws InvalidOptionsError
 */
export function requireShape(schema: z.ZodType, options: object): void {
  const { error } = schema.safeParse(options);
  if (error) throw new InvalidOptionsError(`Invalid options:\n${z.prettifyError(error)}`);
}

/**
 * Formats default faults for the setting PREFER.
 * @throws SettingError if an option is unknown or invalid, or if faults are off
 */
export function formatFaults({ prefer = "", faults }: Pick<ServiceOptions, "prefer" | "faults">): string {
  const text = formatRules(requireFaultOptions("prefer", prefer));
  if (text !== "" && faults === "off") throw new SettingError("prefer", text, ", but faults are off");
  return text;
}
