import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { BLOCK_SIZE } from "../../../src/store/block.ts";
import { readRecords } from "../../../tools/data/export.ts";
import { STORE_NAMES } from "../../../tools/data/stores/configuration.ts";
import { createMemoryService } from "../../support/memory-service.ts";
import { runData } from "../../support/run-command.ts";
import { compareNewestFirst, formatCsv, makeRecords } from "../../support/sample-records.ts";
import { readAllRecords, startWorker } from "../../support/worker.ts";
import { createDataFolder, openLocalDatabase } from "./data-folder.ts";

const REFS = ['"a,"', "ü;=33", "'🚗\u00a0'", "1=1+1\\"];

/** Records for more than one block, newest first, with ids and camera_refs that are difficult for a format. */
const records = makeRecords(640)
  .map((record) => ({ ...record, camera_ref: REFS[record.camera_pk - 1]!, id: record.id * 3 - 100 }))
  .sort(compareNewestFirst);
const jsonl = records.map((record) => `${JSON.stringify(record)}\n`).join("");
const EXPECTED = { csv: formatCsv(records), jsonl };

const local = createDataFolder();
const { folder, write, run } = local;

test("an export can be loaded and exported again without any difference, and is served in its order", async () => {
  const file = (name: string) => join(folder, name);
  for (const [store, loaded] of [
    ["d1", await write("begin.csv", records.toReversed())],
    ["kv", file("d1.csv")],
    ["d1", file("kv.jsonl")],
  ] as const) {
    expect(await run("load", "--store", store, loaded)).toMatchObject({ status: 0, stderr: "" });
    for (const [format, text] of Object.entries(EXPECTED)) {
      const out = file(`${store}.${format}`);
      const { stdout } = await run("export", "--store", store, "--format", format, "--out", out);
      expect(stdout).toBe("Exported 640 records.\n");
      expect(await readFile(out, "utf8")).toBe(text);
    }
  }
  const { origin, close } = await startWorker({ folder });
  expect(await readAllRecords(origin)).toEqual(records);
  await close();
});

test.each(STORE_NAMES)("if nothing is loaded in %s, an export fails, and info succeeds", async (store) => {
  const empty = join(folder, "empty");
  const place = ["--store", store, "--persist-to", empty];
  const file = `${join(empty, "v3", store)}/.+\\.sqlite`;
  const line = expect.stringMatching(`^Nothing is loaded in the ${store} store \\(${file}\\)\\.\n$`);
  expect(await runData(["export", ...place])).toEqual({ status: 1, stdout: "", stderr: line });
  expect(await runData(["info", ...place])).toEqual({ status: 0, stdout: line, stderr: "" });
  const { stdout } = await runData(["info", "--json", ...place]);
  expect(JSON.parse(stdout)).toMatchObject({ store, snapshot: { id: null, count: 0, loaded_at: null } });
  expect(existsSync(empty), "reading creates no folder").toBe(false);
});

test("an export fails if the collection is replaced while it is read", async () => {
  const { store, load: replace } = await createMemoryService();
  const snapshot = replace(makeRecords(300));
  replace(makeRecords(400));
  const reading = Array.fromAsync(readRecords(store, snapshot));
  await expect(reading).rejects.toThrow("was replaced while it was being read");
});

test("an export reads 100 blocks at once, because each read of a deployed store takes seconds", async () => {
  const { store, load } = await createMemoryService();
  const snapshot = load(makeRecords(100 * BLOCK_SIZE + 1));
  const readBlocks = vi.spyOn(store, "readBlocks");
  await Array.fromAsync(readRecords(store, snapshot));
  expect(readBlocks.mock.calls.map(([, numbers]) => numbers.length)).toEqual([100, 1]);
});

// biome-ignore format: a table of cases
test.each([
  ["a record", '"c94"', '"c\u009b2J"', 'Record 2 in the store: camera_ref "c\\u009b2J" contains the invisible'],
  ["a damaged line", '"c94"', "\u001b", "is not valid JSON"],
])("export and info print no control characters of a store: %s", async (_, valid, text, message) => {
  const records = makeRecords(4).map((record) => ({ ...record, camera_ref: "c94", camera_pk: 2 }));
  await run("load", "--store", "d1", await write("valid.csv", records.slice(0, 1)));
  const database = await openLocalDatabase("d1", local);
  database.prepare("UPDATE block SET text = replace(text, ?, ?)").run(valid, text);
  database.prepare("UPDATE block SET text = replace(text, ?, ?)").run("valid.csv", "\u009bvalid.csv");
  database.prepare("UPDATE snapshot SET loaded_at = ?").run("\u001b[2J");
  database.close();
  for (const format of ["csv", "jsonl"]) {
    const { status, stdout, stderr } = await run("export", "--store", "d1", "--format", format);
    expect([status, stdout, stderr], format).toEqual([1, "", expect.stringContaining(message)]);
    expect(stderr, format).not.toMatch(/[^\P{Cc}\n]/u);
  }
  for (const options of [[], ["--json"]]) {
    const { stdout } = await run("info", "--store", "d1", ...options);
    expect(stdout).toContain("\\u009bvalid.csv");
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
  }
});

test("info shows the sources and the numbers of the records", async () => {
  const files = makeRecords(23).map((record, index) => write(`${index}.csv`, [record]));
  await run("load", "--store", "d1", ...(await Promise.all(files)));
  const first = files.slice(0, 20).map((_, index) => `${index}.csv`);
  expect((await run("info", "--store", "d1")).stdout).toMatch(
    new RegExp(`^sources +${first.join(", ")}, and 3 more$`, "m"),
  );
  await run("load", "--store", "d1", await write("counted.csv", makeRecords(200)));
  const { stdout } = await run("info", "--store", "d1");
  const { previous } = JSON.parse((await run("info", "--store", "d1", "--json")).stdout);
  expect(previous).toMatchObject({ count: 23, source: expect.stringMatching(/^0\.csv, .*\.\.\.$/) });
  expect(
    stdout.slice(stdout.indexOf("undo ")),
  ).toBe(`undo restores      23 records of ${previous.source}, loaded at ${previous.loaded_at}
records            200
first timestamp    2019-05-17T00:00:00Z
last timestamp     2019-05-18T00:30:00Z
days with records  2
cameras            4
camera_ok True     86 (43.0 %)
camera_ok False    14 (7.0 %)
camera_ok null     100 (50.0 %)
mean road users    25.9 per record, without camera_ok False
cars               2783
persons            1103
bicycles           371
trucks             279
motorcycles        93
buses              186
`);
});
