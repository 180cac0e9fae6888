import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import { generateSeedFiles, SEED_DAYS } from "../../../data/generator/seed.ts";
import { readSeed } from "../../seed.ts";
import { readRecords } from "../formats/read-input.ts";

const folder = join(import.meta.dirname, "../../../data/seed");
const files = readdirSync(folder)
  .sort()
  .filter((name) => name.endsWith(".csv"))
  .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

describe("the committed files", () => {
  const generated = new Map(Array.from(generateSeedFiles(), ({ name, text }) => [name, text]));

  test("are exactly one for each day", () => {
    expect(files.map(({ name }) => name)).toEqual(SEED_DAYS.map((day) => `${day}.csv`));
  });

  // Compared as a boolean, since a diff of two files of 4,000 lines is not readable.
  test.each(files)("$name is byte for byte what the generator writes", ({ name, text }) => {
    const hint = "run `npm run seed` after changing the generator";
    expect(text === generated.get(name), hint).toBe(true);
  });

  test.each(files)("$name is small, and has only records of its day", async ({ name, text }) => {
    const records = await readRecords(text);
    expect(records.length).toBeGreaterThan(3500);
    expect(text.length).toBeLessThan(300_000);
    expect(records.filter(({ timestamp }) => !name.startsWith(timestamp.slice(0, 10)))).toEqual([]);
  });
});

test("the files are in the order of their records, oldest first", async () => {
  const rows = files.map(({ text }) => text.slice(CSV_HEADER.length)).join("");
  expect((await readSeed()).map(csvLine).join("") === rows).toBe(true);
});
