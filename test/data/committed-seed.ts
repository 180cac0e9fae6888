import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import type { TrafficRecord } from "../../src/records/record.ts";

const directory = join(import.meta.dirname, "../../data/seed");

/** The committed CSV files of the seed, sorted by name. */
export function committedFiles(): { name: string; text: string }[] {
  const names = readdirSync(directory).filter((name) => name.endsWith(".csv"));
  return names.sort().map((name) => ({ name, text: readFileSync(join(directory, name), "utf8") }));
}

/** The records of the committed files in their order, not validated. */
export function committedRecords(): TrafficRecord[] {
  return committedFiles().flatMap(({ text }) => parse(text, { columns: true, cast: toValue }));
}

/** An empty cell becomes null, digits become a number. */
function toValue(cell: string): string | number | null {
  if (cell === "") return null;
  return /^\d+$/.test(cell) ? Number(cell) : cell;
}
