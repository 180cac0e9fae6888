import { generateRecords, SEED } from "../../src/generator/records.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { CSV_HEADER, csvLine } from "../formats/csv.ts";

/** The days of the static seed (UTC): three old ones without health, Friday to Sunday, and a recent week. */
export const SEED_DAYS = [
  "2019-05-17",
  "2019-05-18",
  "2019-05-19",
  "2025-10-27",
  "2025-10-28",
  "2025-10-29",
  "2025-10-30",
  "2025-10-31",
  "2025-11-01",
  "2025-11-02",
] as const;

export interface SeedFile {
  name: string;
  text: string;
}

const DAY = 24 * 60 * 60 * 1000;

/** The files of the static seed, one a day, each with its records from the oldest to the newest. */
export function* seedFiles(): Generator<SeedFile, void> {
  for (const day of SEED_DAYS)
    yield { name: `${day}.csv`, text: CSV_HEADER + Array.from(recordsOf(day), csvLine).join("") };
}

/** The records of the static seed, from the oldest to the newest. */
export function* seedRecords(): Generator<TrafficRecord, void> {
  for (const day of SEED_DAYS) yield* recordsOf(day);
}

function recordsOf(day: string): Generator<TrafficRecord, void> {
  const from = new Date(`${day}T00:00:00Z`);
  return generateRecords({ seed: SEED, from, to: new Date(from.getTime() + DAY) });
}
