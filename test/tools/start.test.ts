import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../../data/formats/csv.ts";
import { generateSeedFiles } from "../../data/seed.ts";
import { Page } from "../../src/records/record.ts";
import { makeRecords } from "../records/sample.ts";
import { runData } from "../run-command.ts";
import { serve, untilServed } from "../serve.ts";
import { createFolder } from "../temporary-folder.ts";

/** The number of records in the files of the seed. */
const SEED_COUNT = [...generateSeedFiles()].flatMap(({ text }) => text.trimEnd().split("\n").slice(1)).length;

const folder = createFolder();

async function readCount(origin: string): Promise<number> {
  const response = await fetch(`${origin}/api/tf1/records/`);
  return Page.parse(await response.json()).count;
}

test("npm start serves the seed, then the loaded records, also after a restart", async () => {
  const first = await serve(folder);
  expect(await readCount(first.origin)).toBe(SEED_COUNT);

  const file = join(folder, "records.csv");
  await writeFile(file, CSV_HEADER + makeRecords(20).map(csvLine).join(""));
  const loaded = await runData(["load", file, "--persist-to", folder]);
  expect(loaded).toMatchObject({ status: 0, stdout: "Loaded 20 records.\n" });
  await untilServed(first.origin);
  expect(await readCount(first.origin), "by the server that was running").toBe(20);
  await first.close();

  const second = await serve(folder);
  expect(await readCount(second.origin), "by the next server").toBe(20);
  await second.terminate();
  await expect(fetch(second.origin), "by nobody").rejects.toThrow("fetch failed");
});

test.each([
  ["STORE:sql", 'STORE is "sql"; it must be "d1" or "kv"'],
  ["RATE_LIMIT:60", 'RATE_LIMIT is "60", but [[ratelimits]] in wrangler.toml counts in periods of 10 s'],
])("npm start -- --var %s says what is wrong, and serves nothing", async (variable, problem) => {
  await expect(serve(folder, "--var", variable)).rejects.toThrow(problem);
});
