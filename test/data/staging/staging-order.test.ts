import fc from "fast-check";
import { expect, test } from "vitest";
import { CSV_HEADER, csvLine } from "../../../data/formats/csv.ts";
import { cameraRef } from "../../../data/formats/validation.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { compareNewestFirst } from "../../records/sample.ts";
import { stageFiles } from "./stage-files.ts";

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

test("the order of files and records does not change the collection", () =>
  fc.assert(
    fc.asyncProperty(
      load,
      fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
      async (records, formats) => {
        const shares = formats.map((_, i) => records.filter((_, at) => at % formats.length === i));
        const files = shares.flatMap((share, i) =>
          share.length > 0 ? [[`${i}`, write(share, formats[i]!)]] : [],
        );
        const staged = await stageFiles(Object.fromEntries(files), { strict: true });
        expect(staged).toMatchObject({ problems: [], count: records.length });
        expect(staged.records).toStrictEqual(records.toSorted(compareNewestFirst).reverse());
      },
    ),
    { numRuns: 150 },
  ));

function write(records: TrafficRecord[], isCsv: boolean): string {
  if (isCsv) return CSV_HEADER + records.map(csvLine).join("");
  return records.map((record) => JSON.stringify(record)).join("\n");
}
