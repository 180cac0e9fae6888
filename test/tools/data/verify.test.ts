import { glob, readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { createLocalStore } from "./local-store.ts";

/** Nine blocks, and 100 records in the tail. */
const records = makeRecords(1_450);

const local = createLocalStore();
let file: string;
beforeAll(async () => {
  file = await local.write("records.csv", records);
  expect((await local.run("load", "--store", "kv", file)).status).toBe(0);
});

const verify = (store: string) => local.run("info", "--verify", "--store", store);

async function changeDatabase(sql: string): Promise<void> {
  const files = await Array.fromAsync(glob(`${local.folder}/v3/d1/*/*.sqlite`));
  const database = new DatabaseSync(files.find((name) => basename(name) !== "metadata.sqlite")!);
  database.exec(sql);
  database.close();
}

const DAMAGED = "The stored collection is damaged. Load it again.\n";

test("a collection that was loaded or appended to has no problems", async () => {
  const first = await local.write("first.csv", records.slice(0, 700));
  await local.run("load", "--store", "d1", first);
  await local.run("load", "--store", "d1", "--append", "--skip-known", file);
  for (const store of ["d1", "kv"]) {
    const { status, stdout, stderr } = await verify(store);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^verified +1450 records, 0 problems$/m);
  }
});

test("kv: a changed count is found", async () => {
  const changed = await Array.fromAsync(glob(`${local.folder}/v3/kv/**/blobs/*`), async (name) => {
    const text = await readFile(name, "utf8");
    const other = text.replace(/("2019[^"]+",null),[0-9],/, "$1,9,");
    if (text.startsWith("[") && other !== text) await writeFile(name, other);
    return text.startsWith("[") && other !== text;
  });
  expect(changed.filter(Boolean).length).toBeGreaterThan(0);
  const { status, stderr } = await verify("kv");
  expect(status).toBe(1);
  expect(stderr).toBe(`The statistics differ from the records in totals\n${DAMAGED}`);
});

const REVERSED = `text = (SELECT '[' || char(10) || group_concat(value, ',' || char(10)) || char(10) || ']' FROM (
  SELECT value FROM json_each(blocks.text) ORDER BY key DESC))`;

test.each<[string, string, string[]]>(
  // biome-ignore format: one case per line
  [
    ["a missing block", "DELETE FROM blocks WHERE first = 601", ["D1 has no block at position 601 of load"]],
    [
    "a block that is too short",
    `UPDATE blocks SET text = '[' || char(10) || '[1]' || char(10) || ']' WHERE first = 601`,
    ["The block at position 601 is damaged: it holds 1 of 150 records"],
  ],
    ["a block that is damaged", "UPDATE blocks SET text = substr(text, 5) WHERE first = 1", ["The block at position 1 is damaged"]],
    [
    "a block that is stored twice",
    "UPDATE blocks SET text = (SELECT text FROM blocks AS other WHERE other.first = 1) WHERE first = 601",
    ["stored records:601: id 2 already appears in stored records:1", "more problems"],
  ],
    ["a block in the wrong order", `UPDATE blocks SET ${REVERSED} WHERE first = 601`, ["is stored after record"]],
    ["other statistics", `UPDATE statistics SET text = replace(text, '"records":1450', '"records":1451')`, ["The statistics differ from the records in records"]],
    ["a state with a count that is too large", "UPDATE state SET count = 1451", ["The state is damaged: its tail holds 100 of 101 records"]],
    ["a record that is not valid", `UPDATE state SET tail = replace(tail, '"c94"', '""')`, ['camera_ref "" is not a string of 1 to 255 characters', "more problems"]],
  ],
)("d1: %s is found", async (_, sql, problems) => {
  await local.run("load", "--store", "d1", file);
  await changeDatabase(sql);
  const { status, stdout, stderr } = await verify("d1");
  expect(status).toBe(1);
  expect(stdout).toMatch(/^verified +\d+ records, [1-9]\d* problems?$/m);
  for (const problem of problems) expect(stderr).toContain(problem);
  expect(stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(22);
  expect(stderr.endsWith(DAMAGED)).toBe(true);
});

test("d1: missing statistics are reported", async () => {
  await local.run("load", "--store", "d1", file);
  await changeDatabase("DELETE FROM statistics");
  const { status, stderr } = await verify("d1");
  expect([status, stderr]).toEqual([1, expect.stringContaining("The statistics are missing")]);
});
