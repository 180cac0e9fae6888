import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CSV_HEADER, csvLine } from "../formats/csv.ts";
import { generateRecords, SEED } from "./records.ts";

/** The periods of the seed (UTC): three old days without camera health, Friday to Sunday, and a recent week. */
const PERIODS = [
  { first: "2019-05-17", days: 3 },
  { first: "2025-10-27", days: 7 },
];

const DAY_MS = 24 * 60 * 60 * 1000;

/** Generates the files of the seed, one for each day, with its records oldest first. */
export function* generateSeedFiles(): Generator<{ name: string; text: string }, void> {
  for (const { first, days } of PERIODS) {
    for (let day = 0; day < days; day++) {
      const from = new Date(Date.parse(first) + day * DAY_MS);
      const records = generateRecords({ seed: SEED, from, to: new Date(from.getTime() + DAY_MS) });
      const name = `${from.toISOString().slice(0, 10)}.csv`;
      yield { name, text: CSV_HEADER + Array.from(records, csvLine).join("") };
    }
  }
}

// `npm run seed` writes the files.
if (import.meta.main)
  for (const { name, text } of generateSeedFiles())
    writeFileSync(join(import.meta.dirname, "../seed", name), text);
