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

const PATH = "/api/tf1/records/";
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

/** The response of the service for each page. */
const pages = Array.from({ length: Math.ceil(records.length / 15) }, (_, index) => {
  const link = (page: number) => `http://localhost:8787${PATH}?format=api&page=${page}`;
  return JSON.stringify({
    count: records.length,
    next: index === 42 ? null : link(index + 2),
    previous: index === 0 ? null : link(index),
    results: records.toReversed().slice(15 * index, 15 * index + 15),
  });
});

const EXPECTED = {
  csv: CSV_HEADER + records.map(csvLine).join(""),
  jsonl: records.map((record) => `${JSON.stringify(record)}\n`).join(""),
  pages: pages.map((page) => `${page}\n`).join(""),
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

/** Exports in these formats, and expects each file to be byte for byte the expected text. */
async function expectExports(store: StoreName, formats: Format[]): Promise<void> {
  await Promise.all(
    formats.map(async (format) => {
      const out = fileOf(store, format);
      expect(await run(store, "export", "--format", format, "--out", out)).toBe("Exported 640 records.\n");
      expect(await readFile(out, "utf8")).toBe(EXPECTED[format]);
    }),
  );
}

describe("an export can be loaded and exported again without any difference:", () => {
  test("first, records are loaded into d1 and others are appended", async () => {
    const [begin, end] = [records.slice(0, 300), records.slice(300)];
    expect(await run("d1", "load", await write("begin.csv", begin))).toBe("Loaded 300 records.\n");
    expect(await run("d1", "load", "--append", await write("end.csv", end))).toBe(
      "Added 340 records; 640 are loaded.\n",
    );
  });

  test("d1 exports the records in every format", () => expectExports("d1", ["csv", "jsonl", "pages"]));

  test("kv, loaded from CSV, exports the same files in every format", async () => {
    await run("kv", "load", fileOf("d1", "csv"));
    await expectExports("kv", ["csv", "jsonl", "pages"]);
  });

  test("d1, loaded from pages, exports the same pages, and is loaded from JSON Lines", async () => {
    await run("d1", "load", fileOf("kv", "pages"));
    await expectExports("d1", ["pages"]);
    await run("d1", "load", fileOf("kv", "jsonl"));
  });

  test("the running worker returns the exported pages", async () => {
    const { origin, close } = await startWorker({ folder });
    for (const [index, page] of pages.entries()) {
      const answer = await (await fetch(`${origin}${PATH}?format=api&page=${index + 1}`)).text();
      expect(answer.replaceAll(origin, "http://localhost:8787")).toBe(page);
    }
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
