import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../../data/formats/csv.ts";
import { makeRecords } from "../records/sample.ts";
import { runData } from "../run-command.ts";
import { serve } from "../serve.ts";
import { createFolder } from "../temporary-folder.ts";

test("npm start serves what was loaded before, and ends with npm", async () => {
  const folder = createFolder();
  const file = join(folder, "records.csv");
  await writeFile(file, CSV_HEADER + makeRecords(20).map(csvLine).join(""));
  await runData(["load", file, "--persist-to", folder]);
  const { origin, terminate } = await serve(folder);
  const page = await (await fetch(`${origin}/api/tf1/records/`)).json();
  expect(page).toMatchObject({ count: 20 });
  await terminate();
  await expect(fetch(origin), "by nobody").rejects.toThrow("fetch failed");
});

test.each([
  ["STORE:sql", 'STORE is "sql"; it must be "d1", "kv" or "seed"'],
  ["RATE_LIMIT:60", 'RATE_LIMIT is "60", but [[ratelimits]] in wrangler.toml counts in periods of 10 s'],
])("npm start -- --var %s says what is wrong, and serves nothing", async (variable, problem) => {
  await expect(serve(createFolder(), "--var", variable)).rejects.toThrow(problem);
});
