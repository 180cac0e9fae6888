import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CSV_HEADER, csvLine } from "../formats/csv.ts";
import { generateRecords, SEED } from "./records.ts";

/** The days of the seed (UTC): three old ones without camera health, Friday to Sunday, and a recent week. */
const SEED_DAYS = [
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
];

const DAY_MS = 24 * 60 * 60 * 1000;

/** Generates the files of the seed, one for each day, with its records oldest first. */
export function* generateSeedFiles(): Generator<{ name: string; text: string }, void> {
  for (const day of SEED_DAYS) {
    const from = new Date(`${day}T00:00:00Z`);
    const records = generateRecords({ seed: SEED, from, to: new Date(from.getTime() + DAY_MS) });
    yield { name: `${day}.csv`, text: CSV_HEADER + Array.from(records, csvLine).join("") };
  }
}

// `npm run seed [folder]` writes the files, by default into data/seed.
if (import.meta.main) {
  const folder = process.argv[2] ?? join(import.meta.dirname, "../seed");
  await mkdir(folder, { recursive: true });
  for (const { name, text } of generateSeedFiles()) await writeFile(join(folder, name), text);
}
