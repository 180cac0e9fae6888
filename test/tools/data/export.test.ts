import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import type { StoreName } from "../../../data/stores/configuration.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { exportRecords } from "../../../tools/data/export.ts";
import { makeRecords } from "../../records/sample.ts";
import { runData } from "../../run-command.ts";
import { createFolder } from "../../temporary-folder.ts";
import { walk } from "../../walk/walk.ts";
import { startWorker } from "../../worker.ts";

/** Called by an export in this process before it reads the first record. */
const reading = vi.hoisted(() => ({ onBegin: async () => {} }));
vi.mock(import("../../../data/stored-records.ts"), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    async *readRecords(...args) {
      await reading.onBegin();
      yield* original.readRecords(...args);
    },
  };
});

const REFS = ['"a,"', "ü  33", "'🚗\u00a0'", "=1+1\\"];

/** Records for more than one block, oldest first, with ids and camera_refs that are difficult for a format. */
const records = makeRecords(640)
  .map((record) => ({
    ...record,
    camera_ref: REFS[record.camera_pk - 1]!,
    id: record.id * 3 - 100,
  }))
  .sort((one, other) => compare(one.timestamp, other.timestamp) || compare(other.camera_ref, one.camera_ref));

function compare(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

const newestFirst = records.toReversed();
const EXPECTED = {
  csv: CSV_HEADER + newestFirst.map(csvLine).join(""),
  jsonl: newestFirst.map((record) => `${JSON.stringify(record)}\n`).join(""),
};
type Format = keyof typeof EXPECTED;

const folder = createFolder();

async function write(name: string, records: TrafficRecord[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, CSV_HEADER + records.map(csvLine).join(""));
  return file;
}

async function run(store: StoreName, command: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runData([
    command,
    "--store",
    store,
    "--persist-to",
    folder,
    ...args,
  ]);
  expect([status, stderr.match(/.*problem.*/g)]).toEqual([0, null]);
  return stdout;
}

const fileOf = (store: StoreName, format: Format) => join(folder, `${store}.${format}`);

/** Exports in every format, and expects each file to be byte for byte the expected text. */
async function expectExports(store: StoreName): Promise<void> {
  for (const [format, text] of Object.entries(EXPECTED)) {
    const out = fileOf(store, format as Format);
    expect(await run(store, "export", "--format", format, "--out", out)).toBe("Exported 640 records.\n");
    expect(await readFile(out, "utf8")).toBe(text);
  }
}

describe("an export can be loaded and exported again without any difference:", () => {
  test("d1 exports the records in every format, newest first", async () => {
    await run("d1", "load", await write("begin.csv", records));
    await expectExports("d1");
  });

  test("kv, loaded from CSV, exports the same files", async () => {
    await run("kv", "load", fileOf("d1", "csv"));
    await expectExports("kv");
  });

  test("the worker serves the records of JSON Lines in the order of the export", async () => {
    await run("d1", "load", fileOf("kv", "jsonl"));
    const { origin, close } = await startWorker({ folder });
    expect(await walk(origin)).toEqual(newestFirst);
    await close();
  });
});

describe("an export fails", () => {
  test("and leaves no file if the collection is replaced while it is read", async () => {
    reading.onBegin = async () => {
      await run("d1", "load", fileOf("kv", "csv"));
    };
    const out = join(folder, "replaced.csv");
    await expect(exportRecords({ format: "csv", out, store: "d1", persistTo: folder })).rejects.toThrow(
      "The collection was replaced while it was read. Run the command again.",
    );
    await expect(readFile(out)).rejects.toThrow("ENOENT");
  });

  test("if nothing is loaded", async () => {
    const empty = join(folder, "empty");
    expect(await runData(["export", "--store", "d1", "--persist-to", empty])).toEqual({
      status: 1,
      stdout: "",
      stderr: "Nothing is loaded.\n",
    });
  });
});
