import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCameraRef } from "../../../../src/records/camera-ref.ts";
import { NO_COUNTS } from "../../../../src/records/road-users.ts";
import { createMemoryStore } from "../../../../src/store/memory.ts";
import { NO_STATISTICS, readStatistics, type Statistics } from "../../../../src/store/stored-statistics.ts";
import { listSampleFiles } from "../../../../tools/data/sample-data.ts";
import { GENERATED_HASH } from "../../../../tools/data/snapshot-content.ts";
import {
  type StagedRecords,
  stageBody,
  stageFiles,
  stageRecords,
} from "../../../../tools/data/staging/staging.ts";
import { compareNewestFirst, formatCsv, makeRecords, toContent } from "../../../support/sample-records.ts";
import { createFolder } from "../../../support/temporary-folder.ts";
import { type Contents, findProblems, formatReport, makeRecord, stageContents } from "../input.ts";

/** The source of records in memory. */
const SOURCE = "records of a program";

const noon = (day: number) => `2019-02-0${day}T12:00:00Z`;

test("sets the counts of a False record to 0", async () => {
  const failed = makeRecord({ id: 1, camera_ok: "False" });
  const healthy = makeRecord({ id: 2, camera_ok: "True", timestamp: noon(1) });
  const silent = makeRecord({ id: 3, camera_ok: "False", timestamp: "2018-01-01T00:00:00Z", ...NO_COUNTS });
  expect(await stageContents({ a: [failed, healthy, silent] })).toEqual({
    summary: expect.stringMatching(/^3 records \(.* 1 record with camera_ok "False"/),
    warnings: [],
    records: [silent, healthy, { ...failed, ...NO_COUNTS }],
  });
});

test("numbers cameras by first capture, and images by processing, across all reports", async () => {
  const { records } = await stageContents({
    a: formatReport(
      "2025-10-29 12:00:00Z,2025-10-29 10:00:00Z,c,tf1,1,0,0,0,0,0,0",
      "2025-10-29 11:00:00Z,2025-10-29 10:00:00Z,b,tf1,2,0,0,0,0,0,0",
      "2025-10-29 11:00:00Z,2025-10-29 09:30:00Z,C,tf1,3,0,0,0,0,0,0",
    ),
    b: formatReport(
      "2025-10-29 11:00:00Z,2025-10-29 10:00:00.000001Z,a,tf1,4,0,0,0,0,0,0",
      "2025-10-29 10:59:59.999999Z,2025-10-29 10:10:00Z,d,tf1,5,0,0,0,0,0,2",
      "2025-10-29 11:00:00.000001Z,2025-10-29 08:00:00Z,c,tf1,6,0,0,0,0,0,",
    ),
  });
  expect(records.map(({ id, camera_pk, camera_ref, cars }) => [id, camera_pk, camera_ref, cars])).toEqual([
    [5, 1, "c", 6],
    [2, 1, "c", 3],
    [6, 1, "c", 1],
    [3, 2, "b", 2],
    [4, 3, "a", 4],
    [1, 4, "d", 0],
  ]);
});

test("sorts the records into blocks, with statistics, which can be read until they are closed", async () => {
  const records = makeRecords(1_000);
  const staged = await stageRecords(new Set(records));
  for (let reading = 0; reading < 2; reading++)
    expect([...staged.blocks()]).toEqual([...toContent(records.toReversed(), [SOURCE]).blocks()]);
  staged.close();
  expect(() => [...staged.blocks()]).toThrow();
});

test("creates statistics that do not depend on the order of the records", async () => {
  const counts = { cars: 2, persons: 3, bicycles: 5, trucks: 7, motorcycles: 11, buses: 13 };
  const failed = { camera_ok: "False", ...NO_COUNTS, camera_pk: 6, camera_ref: "b" } as const;
  const records = [
    makeRecord({ id: 1, timestamp: "2019-05-16T23:59:59Z", ...counts }),
    makeRecord({ id: 2, timestamp: "2019-05-18T00:00:00Z", camera_ok: "True", ...counts, cars: 1 }),
    makeRecord({ id: 3, timestamp: "2019-05-18T00:00:00Z", ...failed }),
  ];
  const noHours = Array(24).fill([0, 0]);
  const statistics = {
    first: "2019-05-16T23:59:59Z",
    last: "2019-05-18T00:00:00Z",
    cameras: 2,
    totals: { cars: 3, persons: 6, bicycles: 10, trucks: 14, motorcycles: 22, buses: 26 },
    days: [
      ["2019-05-16", 1, 0, 1, 41],
      ["2019-05-18", 2, 1, 0, 40],
    ],
    hours: { weekdays: noHours.with(23, [1, 41]), weekends: noHours.with(0, [1, 40]) },
    records_hash: expect.stringMatching(/^[0-9a-f]{20}$/),
    sources: [SOURCE],
    source_count: 1,
  };
  const collect = async (given: object[]) => readStagedStatistics(await stageRecords(given));
  const collected = await collect(records);
  expect(collected).toEqual(statistics);
  expect(await collect(records.toReversed())).toEqual(collected);
  expect(await collect([])).toEqual({
    ...NO_STATISTICS,
    hours: { weekdays: noHours, weekends: noHours },
    records_hash: expect.not.stringMatching(String(collected.records_hash)),
    sources: [SOURCE],
    source_count: 1,
  });
});

test("the sample data has the hash of the generated records", async () => {
  const staged = await stageFiles(listSampleFiles());
  expect((await readStagedStatistics(staged)).records_hash).toBe(GENERATED_HASH);
});

// biome-ignore format: a table of cases
test.each<{ name: string; file: string; edit?: [RegExp, string]; given?: string; source: string }>([
  { name: "a copied file", file: "copied.csv", source: "generated" },
  { name: "a given source", file: "copied.csv", given: "mine", source: "mine" },
  { name: "the same source, given", file: "copied.csv", given: "generated", source: "generated" },
  { name: "that source and an edited record", file: "edited.csv", edit: [/\d+,tf1\n/, "77,tf1\n"], given: "generated", source: '"generated"' },
  { name: "a source in German", file: "copied.csv", given: "Köln, 100 %", source: "K%C3%B6ln, 100 %25" },
  { name: "a long source", file: "copied.csv", given: `${"x".repeat(92)}öö`, source: `${"x".repeat(92)}...` },
  { name: "an edited record", file: "edited.csv", edit: [/\d+,tf1\n/, "77,tf1\n"], source: "edited.csv, 2025.csv" },
  { name: "a missing record", file: "generated", edit: [/\n.*\n/, "\n"], source: '"generated", 2025.csv' },
])("the source of the sample data with $name is $source", async ({ file, edit: [pattern, text] = ["", ""], given, source }) => {
    const [first = "", ...others] = listSampleFiles();
    const path = join(createFolder(), file);
    await writeFile(path, (await readFile(first, "utf8")).replace(pattern, text));
    expect((await stageFiles([path, ...others], { source: given })).source).toBe(source);
});

test("the source of a body is that of records in memory", async () => {
  const body = Readable.from([Buffer.from(formatCsv(makeRecords(3)))]);
  const { source, close } = await stageBody(body, undefined);
  close();
  expect(source).toBe(SOURCE);
});

/** Reads the statistics of a load, and deletes its records from disk. */
async function readStagedStatistics({ count, source, blocks, close }: StagedRecords): Promise<Statistics> {
  const snapshot = { id: "a", count, loaded_at: null, source };
  return readStatistics(createMemoryStore(snapshot, blocks()), snapshot).finally(close);
}

// biome-ignore format: a table of cases
test.each([
  ["records", [{ id: 1 }, { id: 2, cars: 9 }, { id: 3, timestamp: noon(1) }]],
  ["records of a different load, with different ids and camera_pks", [{ id: 1 }, { id: 1, camera_pk: 99, cars: 9 }, { id: 3, timestamp: noon(1) }]],
  ["images",
    formatReport(
      "2019-02-28 11:00:00Z,2019-02-28 10:00:00Z,a33,tf1,3,2,1,0,0,0,",
      "2019-02-28 11:00:01Z,2019-02-28 10:00:00.5Z,A33,tf1,9,2,1,0,0,0,",
      "2019-02-01 13:00:00Z,2019-02-01 12:00:00Z,a33,tf1,3,2,1,0,0,0,",
    )],
])("with skipDuplicates, skips %s, with the camera_ref and timestamp of an earlier one", async (_, content) => {
    const { summary, records } = await stageContents({ a: content }, { skipDuplicates: true });
    expect(summary).toMatch(/^2 records \(skipped 1 record with the same camera_ref and timestamp/);
    expect(records.map(({ cars }) => cars)).toEqual([3, 3]);
    expect(records.map(({ timestamp }) => timestamp)).toEqual([noon(1), makeRecord().timestamp]);
});

const difficult = fc.constantFrom("a", "A", "b", "a\uffee", "a😀", '" a', "a,");
const anyText = fc.oneof(difficult, fc.string({ unit: "grapheme", minLength: 1 }));
const anyRef = anyText.filter((text) => checkCameraRef(text) === undefined);
const [min, max] = [new Date("0000-01-01T00:00:00Z"), new Date("9999-12-31T23:59:59Z")];
const anyTimestamp = fc.oneof(
  fc.constantFrom("2019-05-17T00:00:00Z", "2020-02-29T23:59:59Z"),
  fc.date({ min, max, noInvalidDate: true }).map((date) => `${date.toISOString().slice(0, 19)}Z`),
);
const anyRecord = fc
  .record({
    id: fc.oneof(fc.integer({ min: -5, max: 50 }), fc.maxSafeInteger()),
    camera_pk: fc.nat(4),
    timestamp: anyTimestamp,
    camera_ok: fc.constantFrom(null, "True" as const),
    cars: fc.oneof(fc.nat(9), fc.maxSafeNat()),
    buses: fc.maxSafeNat(),
  })
  .map(makeRecord);

/** Valid records of one load: unique ids, one record per camera and time, one camera_ref per camera. */
const anyLoad = fc
  .record({
    refs: fc.array(anyRef, { minLength: 1, maxLength: 5 }),
    records: fc.uniqueArray(anyRecord, { minLength: 1, maxLength: 40, selector: ({ id }) => id }),
  })
  .map(({ refs, records }) => {
    const named = records.map((one) => ({ ...one, camera_ref: refs[one.camera_pk % refs.length]! }));
    return [...new Map(named.map((one) => [`${one.camera_pk} ${one.timestamp}`, one])).values()];
  });

test("the order of files and records does not change the collection, in CSV and JSON Lines", () =>
  fc.assert(
    fc.asyncProperty(
      anyLoad,
      fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
      async (records, formats) => {
        const shares = formats.map((_, i) => records.filter((_, at) => at % formats.length === i));
        const contents = shares.map((share, i) => (formats[i] ? formatCsv(share) : share));
        const files = Object.fromEntries([...contents.entries()].filter(([i]) => shares[i]!.length > 0));
        const staged = await stageContents(files, { strict: true });
        expect(staged.records).toStrictEqual(records.toSorted(compareNewestFirst).reverse());
      },
    ),
    { numRuns: 150 },
  ));

test("reads the files of a folder, of every format, in the order of their names, and names what it skips", async () => {
  const folder = createFolder();
  const line = (id: number) => JSON.stringify(makeRecord({ id, timestamp: noon(id) }));
  const read = { "2.jsonl": line(1), "1.JSON": line(2), "3.csv.gz": gzipSync(line(3)), "4.ndjson": line(4) };
  const files = { ...read, "README.md": "x", ".hidden.csv": "x" };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  await mkdir(join(folder, "2024.csv"));
  const warnings: string[] = [];
  const { count, source, close } = await stageFiles([folder], { warn: (line) => warnings.push(line) });
  expect([count, source]).toEqual([4, "1.JSON, 2.jsonl, 3.csv.gz, 4.ndjson"]);
  const warning = `Warning: ${folder}: skipped ["2024.csv/","README.md"]`;
  expect(warnings).toEqual([expect.stringContaining(warning)]);
  close();
});

const SPACE = Buffer.alloc(1_000_000, " \n");

test.each<[string, Contents, done: number, total: number | undefined]>([
  ["of all files", { a: Array(2_500).fill({ cars: -1 }), b: [{}] }, 0.5, 0.5],
  ["without a total if the size is not known", { a: [{}], "-": SPACE }, 1, undefined],
])("shows the progress of reading in megabytes %s", async (_, contents, done, total) => {
  const shown: (number | undefined)[][] = [];
  const steps: string[] = [];
  const openStep = (step: string) => ({
    update: (...numbers: (number | undefined)[]) => shown.push(numbers),
    close: () => steps.push(step),
  });
  await findProblems(contents, { openStep });
  expect(steps).toEqual(["reading", "comparing"]);
  expect(shown.at(-1)).toEqual([done, total]);
  expect(shown).toEqual(shown.toSorted(([one = 0], [other = 0]) => one - other));
  expect(shown[0]?.[0]).toBeLessThan(0.2);
});
