import { GENERATED_SINCE, type GeneratorOptions, generateRecords } from "../../data/generator.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { type Output, writeRecords } from "./export.ts";

export interface GenerateOptions extends Output, Partial<GeneratorOptions> {
  /** The number of records, from the oldest on. All records of the period by default. */
  records?: number | undefined;
}

/** The year of a timestamp has four digits. */
const END = new Date("+010000-01-01T00:00:00Z");

/** In minutes, so that each camera has more than one record per year. */
const MAX_INTERVAL = 365 * 24 * 60;

/** Checks combinations of options. Returns a message, or undefined if the options are valid. */
export function findUsageError({ records, from = GENERATED_SINCE, to, interval = 0 }: GenerateOptions) {
  if (from < GENERATED_SINCE) return "--from must be 2019-01-01 or later";
  if (to && from >= to) return "--to must be later than --from, which is 2019-01-01 by default";
  if (records === undefined && to === undefined) return "--records or --to is required";
  if (interval > MAX_INTERVAL) return "--interval must be at most 8760h (one year)";
  return undefined;
}

/**
 * Writes generated records, oldest first. A record depends only on the random seed, the interval, its camera and its time;
 * its id depends on the number of cameras too. More records or a longer period therefore only add to the file.
 * @throws Error if the period ends before there are enough records
 */
export async function generate(options: GenerateOptions): Promise<void> {
  const { records: total, from = GENERATED_SINCE, to = END, seed, cameras, interval, ...output } = options;
  const generated = generateRecords({ seed, from, to, cameras, interval });
  await writeRecords("generating", take(generated, total), { ...output, total });
}

/** @throws Error if there are fewer records than required */
function* take(records: Iterable<TrafficRecord>, required?: number): Generator<TrafficRecord> {
  let taken = 0;
  for (const record of records) {
    yield record;
    taken += 1;
    if (taken === required) return;
  }
  if (required !== undefined)
    throw new Error(`The period ends after ${taken} records, but --records is ${required}.`);
}
