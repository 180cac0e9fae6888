import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../../data/outputs/csv.ts";
import { deploymentOptions, runWrangler } from "../../data/targets/wrangler.ts";
import { gatherStatistics } from "../../src/records/statistics.ts";
import { makeRecords } from "../records/sample.ts";
import { runData } from "../serve.ts";

const records = makeRecords(700);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "info-test-"));
  await writeFile(join(folder, "records.csv"), CSV_HEADER + records.map(csvLine).join(""));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const info = (...args: string[]) => runData(["info", ...args]);

function expectedStatistics() {
  const gathering = gatherStatistics();
  expect([...gathering.pass(records)]).toHaveLength(700);
  return gathering.statistics();
}

test("where nothing is loaded says so, and that is no failure", async () => {
  const empty = join(folder, "empty");
  const [text, json] = await Promise.all([
    info("--store", "d1", "--persist-to", empty),
    info("--store", "kv", "--persist-to", empty, "--json"),
  ]);
  expect(text).toEqual({
    status: 0,
    stdout: `Nothing is loaded in d1, on this machine in ${empty}.\n`,
    stderr: "",
  });
  expect(json.status).toBe(0);
  expect(JSON.parse(json.stdout)).toMatchObject({ store: "kv", version: 0, count: 0, statistics: null });
});

test("tells what was loaded", async () => {
  const place = ["--store", "kv", "--persist-to", folder];
  await runData(["load", ...place, join(folder, "records.csv")]);
  const [text, json] = await Promise.all([info(...place), info(...place, "--json")]);
  expect(JSON.parse(json.stdout)).toEqual({
    store: "kv",
    remote: false,
    version: expect.any(Number),
    count: 700,
    loaded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    bytes: null,
    statistics: expectedStatistics(),
  });
  const lines = Object.fromEntries(
    text.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
  );
  expect(lines).toMatchObject({
    store: `kv, on this machine in ${folder}`,
    records: "700",
    "first timestamp": records[0]!.timestamp,
    "last timestamp": records.at(-1)!.timestamp,
    cameras: "4",
    "camera_ok null": "350 (50.0 %)",
    "camera_ok False": "50 (7.1 %)",
    "camera_ok True": "300 (42.9 %)",
    size: "not known",
  });
});

test("tells of a database that was loaded before there were statistics, and leaves it so", async () => {
  const old = join(folder, "old.sql");
  const state = "INSERT OR REPLACE INTO state VALUES (1, 1700000000000, 700, '2023-11-14T22:13:20.000Z');";
  await writeFile(old, `${await readFile("data/migrations/0001_collection.sql", "utf8")}${state}`);
  const place = deploymentOptions({ persistTo: folder });
  await runWrangler(["d1", "execute", "DB", ...place, "--yes", "--file", old]);
  const { stdout } = await info("--store", "d1", "--persist-to", folder);
  expect(stdout).toMatch(/^records +700$/m);
  expect(stdout).toMatch(/^loaded at +2023-11-14T22:13:20.000Z$/m);
  expect(stdout).toMatch(/^statistics +none, since it was loaded before/m);
});

test("a store that cannot be read is a failure", async () => {
  await writeFile(join(folder, "file"), "");
  const { status, stderr } = await info("--store", "d1", "--persist-to", join(folder, "file"));
  expect(status).toBe(1);
  expect(stderr).toContain("wrangler d1 execute");
});
