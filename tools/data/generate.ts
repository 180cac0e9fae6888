import { type Output, writeRecords } from "./export.ts";
import { GENERATOR_EPOCH, type GeneratorOptions, generateRecords } from "./generator.ts";

export interface GenerateOptions extends Output, Partial<GeneratorOptions> {
  /** The maximum number of records. By default, all records of the period. */
  records?: number | undefined;
}

/** The exclusive end of all possible timestamps. A year in a timestamp has four digits. */
const END = new Date("+010000-01-01T00:00:00Z");

export function findUsageError({ records, from = GENERATOR_EPOCH, to }: GenerateOptions) {
  if (from < GENERATOR_EPOCH) return "--from must be 2019-01-01 or later";
  if (to && from >= to) return "--to must be later than --from, which is 2019-01-01 by default";
  if (records === undefined && to === undefined) return "--records or --to is required";
  return undefined;
}

/** Writes generated records, oldest first. More records, or a later end of the period, only extend the file. */
export async function generate(options: GenerateOptions): Promise<void> {
  const { records: total, from = GENERATOR_EPOCH, to = END, seed, cameras, interval, ...output } = options;
  const generator = { seed, from, to, cameras, interval };
  if (generateRecords(generator).next().done)
    throw new Error("No camera has a record in this period. Choose a longer one, or a shorter --interval.");
  const records = generateRecords(generator).take(total ?? Infinity);
  await writeRecords("generating", records, { ...output, total });
}
