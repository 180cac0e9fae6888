import { beforeAll, expect, test } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { createLocalStore } from "./local-store.ts";

const records = makeRecords(90);

const local = createLocalStore();
let other: string;
beforeAll(async () => {
  const renamed = records
    .slice(0, 20)
    .map((record) => (record.camera_pk === 1 ? { ...record, camera_ref: "new" } : record));
  other = await local.write("other.csv", renamed);
});

const dryRun = (...args: string[]) => local.run("load", "--dry-run", ...args);

/** The lines of a table by their names. */
function parseTable(stdout: string) {
  const [title, ...lines] = stdout.trimEnd().split("\n");
  return { title, ...Object.fromEntries(lines.map((line) => line.split(/ {2,}/))) };
}

test("a dry run into an empty store reports all records and cameras as new", async () => {
  const { status, stdout } = await dryRun(other);
  expect(status).toBe(0);
  expect(parseTable(stdout)).toEqual({
    title: "Nothing was written. The command would change what is loaded:",
    records: "0 -> 20",
    "first timestamp": `none -> ${records[0]!.timestamp}`,
    "last timestamp": `none -> ${records[19]!.timestamp}`,
    cameras: "0 -> 4",
    "new cameras": "new (1), c94 (2), pd1p1 (3), t628 (4)",
    "gone cameras": "none",
  });
  expect((await local.run("info")).stdout).toMatch(/^Nothing is loaded/);
});

test("a dry run reports what a load would change, and which cameras it would remove", async () => {
  const file = await local.write("loaded.csv", records.slice(0, 48));
  expect((await local.run("load", file)).status).toBe(0);
  const before = (await local.run("info", "--json")).stdout;
  expect(parseTable((await dryRun(other)).stdout)).toMatchObject({
    records: "48 -> 20",
    "last timestamp": `${records[47]!.timestamp} -> ${records[19]!.timestamp}`,
    cameras: "4 -> 4",
    "new cameras": "new (1)",
    "gone cameras": "a33 (1)",
  });
  const all = await local.write("all.csv", records);
  expect(parseTable((await dryRun("--append", "--skip-known", all)).stdout)).toMatchObject({
    records: "48 -> 90",
    cameras: "4 -> 4",
    "new cameras": "none",
    "gone cameras": "none",
  });
  expect((await local.run("info", "--json")).stdout).toBe(before);
});
