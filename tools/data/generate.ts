import { type FormatName, WRITERS } from "../../data/formats/formats.ts";
import { writeOutput } from "../../data/formats/output-file.ts";
import { EPOCH, generateRecords, SEED } from "../../data/generator/records.ts";
import type { Progress } from "../../data/staging/read-files.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { openProgress } from "../command-line/progress.ts";

export interface GenerateOptions {
  /** The number of records, from the oldest on; all records of the period by default. */
  records?: number | undefined;
  /** The start of the period; 2019-01-01 by default. */
  from?: Date | undefined;
  /** The end of the period, not included; by default, it ends when there are enough records. */
  to?: Date | undefined;
  cameras?: number | undefined;
  /** Minutes. */
  interval?: number | undefined;
  seed?: number | undefined;
  format: FormatName;
  /** A path; `-` is standard output. */
  out: string;
}

const START = new Date(EPOCH * 1000);

/** The year of a timestamp has four digits. */
const END = new Date("+010000-01-01T00:00:00Z");

/** In minutes, so that each camera has more than one record per year. */
const MAX_INTERVAL = 365 * 24 * 60;

/** Checks combinations of options. Returns a message, or undefined if the options are valid. */
export function findUsageError({ records, from = START, to, interval = 0 }: GenerateOptions) {
  if (from < START) return "--from must be 2019-01-01 or later";
  if (to && from >= to) return "--to must be later than --from, which is 2019-01-01 by default";
  if (records === undefined && to === undefined) return "--records or --to is required";
  if (interval > MAX_INTERVAL) return "--interval must be at most 8760h (one year)";
  return undefined;
}

/**
 * Writes generated records, oldest first. A record depends only on the random seed, the interval, its camera and its time;
 * its id depends on the number of cameras too. More records or a longer period therefore only add to the file.
 * @throws Error if the year 9999 ends before there are enough records
 */
export async function generate(options: GenerateOptions): Promise<void> {
  const { records: count, from = START, to = END, seed = SEED, format, out } = options;
  const { cameras, interval } = options;
  const progress = openProgress("generating", { total: count, out });
  const records = generateRecords({ seed, from, to, cameras, interval });
  const required = options.to === undefined ? count : undefined;
  const taken = take(records, count ?? Number.POSITIVE_INFINITY, required);
  const shown = showProgress(taken, progress, (record, done) => estimateTotal(options, record, done));
  await writeOutput(out, WRITERS[format](shown)).finally(progress.close);
}

/** Estimates the number of records from the part of the period that is done. */
export function estimateTotal(
  { records, from = START, to }: GenerateOptions,
  last: TrafficRecord,
  done: number,
): number | undefined {
  if (to === undefined) return records;
  const passed = (Date.parse(last.timestamp) - +from) / (+to - +from);
  return Math.min(records ?? Number.POSITIVE_INFINITY, Math.round(done / Math.max(passed, 1e-9)));
}

function* showProgress(
  records: Iterable<TrafficRecord>,
  progress: Progress,
  estimate: (last: TrafficRecord, done: number) => number | undefined,
): Generator<TrafficRecord> {
  let done = 0;
  for (const record of records) {
    yield record;
    done += 1;
    if (done % 10_000 === 0) progress.update(done, estimate(record, done));
  }
}

/** @throws Error if there are fewer records than required */
function* take(records: Iterable<TrafficRecord>, count: number, required = 0): Generator<TrafficRecord> {
  let taken = 0;
  for (const record of records) {
    yield record;
    taken += 1;
    if (taken === count) return;
  }
  if (taken < required)
    throw new Error(`The year 9999 ends after ${taken} records, but --records is ${required}.`);
}
