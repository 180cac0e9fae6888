import { generateRecords, SEED } from "../src/generator/records.ts";
import { EPOCH } from "../src/generator/slots.ts";
import type { TrafficRecord } from "../src/records/record.ts";
import { openProgress, type Progress } from "../tools/command-line/progress.ts";
import { type FormatName, WRITERS } from "./formats/formats.ts";
import { writeOutput } from "./formats/output-file.ts";

export interface GenerateOptions {
  /** How many, from the oldest on; all of the period unless given. */
  records?: number | undefined;
  /** The first moment of the period; the beginning of the generator's time unless given. */
  from?: Date | undefined;
  /** The first moment after the period; without it the records just go on. */
  to?: Date | undefined;
  cameras?: number | undefined;
  /** Minutes. */
  interval?: number | undefined;
  seed?: number | undefined;
  format: FormatName;
  /** A path; `-` is standard output. */
  out: string;
}

const BEGIN = new Date(EPOCH * 1000);

/** A timestamp has a year of four digits. */
const END = new Date("+010000-01-01T00:00:00Z");

/** Minutes. A collection has more than a moment of a year from each camera. */
const LONGEST_INTERVAL = 365 * 24 * 60;

/** What is wrong with options that each may be right; undefined if nothing is. */
export function findWrongUsage({ records, from = BEGIN, to, interval = 0 }: GenerateOptions) {
  if (from < BEGIN) return "--from must be 2019-01-01 or later";
  if (to && from >= to) return "--to must be later than --from, which is 2019-01-01 by default";
  if (records === undefined && to === undefined) return "say how many: --records or --to";
  if (interval > LONGEST_INTERVAL) return "--interval must be a year at most, 8760h";
  return undefined;
}

/**
 * Writes made-up records, oldest first. But for its id, a record follows from the seed number, the interval, its camera
 * and its time; the id also from the number of cameras. So more records or a longer period only add to the file.
 * @throws Error if time ends before there are enough records
 */
export async function generate(options: GenerateOptions): Promise<void> {
  const { records: count, from = BEGIN, to = END, seed = SEED, format, out } = options;
  const { cameras, interval } = options;
  const progress = openProgress("generating", count, { out });
  const records = generateRecords({
    seed,
    from,
    to,
    ...(cameras === undefined ? {} : { cameras }),
    ...(interval === undefined ? {} : { interval }),
  });
  const least = options.to === undefined ? count : undefined;
  const taken = take(records, count ?? Number.POSITIVE_INFINITY, least);
  const shown = show(taken, progress, (record, done) => estimate(options, record, done));
  await writeOutput(out, WRITERS[format](shown)).finally(progress.close);
}

/** How many records there will be, if the rest of the period is like what has passed of it; no more than are asked for. */
export function estimate({ records, from = BEGIN, to }: GenerateOptions, last: TrafficRecord, done: number) {
  if (to === undefined) return records;
  const passed = (Date.parse(last.timestamp) - +from) / (+to - +from);
  return Math.min(records ?? Number.POSITIVE_INFINITY, Math.round(done / Math.max(passed, 1e-9)));
}

function* show(
  records: Iterable<TrafficRecord>,
  progress: Progress,
  total: (last: TrafficRecord, done: number) => number | undefined,
): Generator<TrafficRecord> {
  let done = 0;
  for (const record of records) {
    yield record;
    done += 1;
    if (done % 10_000 === 0) progress.update(done, total(record, done));
  }
}

/** @param least how many there must be */
function* take(records: Iterable<TrafficRecord>, count: number, least = 0): Generator<TrafficRecord> {
  let taken = 0;
  for (const record of records) {
    yield record;
    taken += 1;
    if (taken === count) return;
  }
  if (taken < least) throw new Error(`The year 9999 ends after ${taken} of ${least} records.`);
}
