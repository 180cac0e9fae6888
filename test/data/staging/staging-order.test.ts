import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cameraRef } from "../../../data/formats/validation.ts";
import { listRecords, stage } from "../../../data/staging.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { createFolder } from "../../temporary-folder.ts";
import { FIELDS } from "../formats/read-input.ts";

const folder = createFolder();

/** Ways to write records into a file, which must all be read as the same records. */
const WRITERS: Record<string, (records: TrafficRecord[]) => string> = {
  csv: (records) => writeCsv(records, "\n"),
  csvForWindows: (records) => `\ufeff${writeCsv(records, "\r\n")}`,
  jsonLines: (records) => records.map((record) => JSON.stringify(record)).join("\n"),
  prettyRecords: (records) => records.map((record) => JSON.stringify(record, null, 2)).join("\n"),
  array: (records) => JSON.stringify(records, null, 1),
  envelope: (records) => JSON.stringify(wrap(records)),
  prettyEnvelope: (records) => JSON.stringify(wrap(records), null, 2),
  envelopeLines: (records) =>
    pages(records)
      .map((page) => JSON.stringify(page))
      .join("\r\n"),
  envelopes: (records) =>
    pages(records)
      .map((page) => JSON.stringify(page))
      .join(""),
  prettyEnvelopes: (records) =>
    pages(records)
      .map((page) => JSON.stringify(page, null, "\t"))
      .join(" "),
  arrayOfEnvelopes: (records) => JSON.stringify(pages(records)),
};

function writeCsv(records: TrafficRecord[], end: string): string {
  const rows = records.map((record) => Object.values(record).map(writeCell).join(","));
  return [FIELDS, ...rows, ""].join(end);
}

function writeCell(value: string | number | null): string {
  const text = String(value ?? "");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function pages(records: TrafficRecord[]) {
  const count = Math.ceil(records.length / 2);
  return Array.from({ length: count }, (_, page) => wrap(records.slice(page * 2, page * 2 + 2)));
}

function wrap(results: TrafficRecord[]) {
  return { next: "http://localhost/api/tf1/records/?format=api&page=3", previous: null, results };
}

const count = fc.oneof(fc.nat(9), fc.maxSafeNat());
const ref = fc
  .oneof(
    fc.constantFrom("a", "A", "b", "a\uffee", "a😀", '" a', "a,"),
    fc.string({ unit: "grapheme", minLength: 1 }),
  )
  .filter((text) => cameraRef.safeParse(text).success);
const timestamp = fc.oneof(
  fc.constantFrom("2019-05-17T00:00:00Z", "2020-02-29T23:59:59Z"),
  fc
    .date({
      min: new Date("0000-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    })
    .map((date) => `${date.toISOString().slice(0, 19)}Z`),
);

/** Valid records of one load: unique ids, one record per camera and time, one camera_ref per camera. */
const load = fc
  .record({
    refs: fc.array(ref, { minLength: 1, maxLength: 5 }),
    records: fc.uniqueArray(
      fc.record({
        id: fc.oneof(fc.integer({ min: -5, max: 50 }), fc.maxSafeInteger()),
        camera_pk: fc.nat(4),
        camera_ref: fc.constant(""),
        timestamp,
        camera_ok: fc.constantFrom(null, "True" as const),
        cars: count,
        persons: count,
        bicycles: count,
        trucks: count,
        motorcycles: count,
        buses: count,
        model_name: fc.constant("tf1" as const),
      }),
      { minLength: 1, maxLength: 40, selector: ({ id }) => id },
    ),
  })
  .map(({ refs, records }) => {
    const named = records.map((record) => ({
      ...record,
      camera_ref: refs[record.camera_pk % refs.length] ?? "",
    }));
    return [...new Map(named.map((record) => [`${record.camera_pk} ${record.timestamp}`, record])).values()];
  });

/** The reverse of the collection's order. */
function compareOldestFirst(a: TrafficRecord, b: TrafficRecord): number {
  return (
    Buffer.compare(Buffer.from(a.timestamp), Buffer.from(b.timestamp)) ||
    Buffer.compare(Buffer.from(b.camera_ref), Buffer.from(a.camera_ref)) ||
    b.id - a.id
  );
}

const files = fc.array(
  fc.record({ writer: fc.constantFrom(...Object.keys(WRITERS)), zipped: fc.boolean() }),
  {
    minLength: 1,
    maxLength: 4,
  },
);

test("the order of files, formats and records does not change the collection", () =>
  fc.assert(
    fc.asyncProperty(load, files, async (records, formats) => {
      const shares = formats.map((format, i) => ({
        ...format,
        share: records.filter((_, at) => at % formats.length === i),
      }));
      const paths = shares
        .filter(({ share }) => share.length > 0)
        .map(({ writer, zipped, share }, i) => {
          const text = WRITERS[writer]?.(share) ?? "";
          return { path: join(folder, `${i}`), bytes: zipped ? gzipSync(text) : Buffer.from(text) };
        });
      for (const { path, bytes } of paths) await writeFile(path, bytes);
      const staged = await stage(
        paths.map(({ path }) => path),
        { strict: true },
      );
      try {
        expect(staged).toMatchObject({ problems: [], count: records.length });
        expect([...listRecords(staged)]).toStrictEqual(records.toSorted(compareOldestFirst));
      } finally {
        staged.close();
      }
    }),
    { numRuns: 150 },
  ));
