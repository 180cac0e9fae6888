import { openProgress, type Progress } from "../cli/progress.ts";
import { generateRecords, SEED } from "../src/generator/records.ts";
import { EPOCH } from "../src/generator/slots.ts";
import type { TrafficRecord } from "../src/records/record.ts";
import { FORMATS, type FormatName } from "./outputs/formats.ts";
import { writeOutput } from "./outputs/output.ts";

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

/** The generator's time has no end; the latest date of JavaScript is far beyond any collection. */
const NEVER = new Date(8.64e15);

/**
 * Writes made-up records, oldest first. A record follows from the seed number, its camera and its time alone, so
 * that more records or a longer period only add to the file.
 * @throws RangeError if an option is out of its range
 */
export async function generate(options: GenerateOptions): Promise<void> {
  const { records: count, from = new Date(EPOCH * 1000), to = NEVER, seed = SEED, format, out } = options;
  const { cameras, interval } = options;
  const progress = openProgress("generating", count, { out });
  const records = generateRecords({
    seed,
    from,
    to,
    ...(cameras === undefined ? {} : { cameras }),
    ...(interval === undefined ? {} : { interval }),
  });
  await writeOutput(out, FORMATS[format](take(records, count ?? Number.POSITIVE_INFINITY, progress))).finally(
    progress.close,
  );
}

function* take(
  records: Iterable<TrafficRecord>,
  count: number,
  progress: Progress,
): Generator<TrafficRecord> {
  let taken = 0;
  if (count === 0) return;
  for (const record of records) {
    yield record;
    taken += 1;
    if (taken % 10_000 === 0) progress.update(taken);
    if (taken === count) return;
  }
}
