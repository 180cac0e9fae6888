import fc from "fast-check";
import { expect, test } from "vitest";
import { TrafficRecord } from "../../src/records/record.ts";
import { stageRecords } from "../../tools/data/staging/staging.ts";
import { makeRecords } from "./sample.ts";

/** Whether a load accepts a value as its only record. */
const isAccepted = (value: unknown) =>
  stageRecords([value]).then(
    (staged) => {
      staged.close();
      return true;
    },
    () => false,
  );

const [RECORD] = makeRecords(1);
const FIELDS = TrafficRecord.keyof().options;
const FAILING = { ...RECORD, camera_ok: "False" };

test.each<[string, object, boolean]>([
  ["a camera_ref of 64 characters outside the basic plane", { camera_ref: "𝒶".repeat(64) }, true],
  ["a camera_ref of 65 characters", { camera_ref: "a".repeat(65) }, false],
  ["an empty camera_ref", { camera_ref: "" }, false],
  ["a camera_ref that begins like a formula", { camera_ref: "=1+1" }, false],
  ["a camera_ref with an invisible character", { camera_ref: "a\u200b" }, false],
  ["a count above 0 with camera_ok False", { camera_ok: "False", cars: 1 }, false],
  ["a time with an offset", { timestamp: "2019-01-01T00:00:00+00:00" }, false],
  ["a count above the largest safe integer", { cars: 2 ** 53 }, false],
  ["an id below 0", { id: -1 }, true],
  ["an unknown field", { trams: 0 }, false],
])("the schema and a load agree about %s", async (_, change, isValid) => {
  const record = { ...RECORD, ...change };
  expect([TrafficRecord.safeParse(record).success, await isAccepted(record)]).toEqual([isValid, isValid]);
});

const anyNumber = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(-0, 2 ** 53 - 1, 2 ** 53, -(2 ** 53)));
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 70 }),
  fc.string({ unit: "grapheme", maxLength: 70 }),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().replace(/\.\d+/, "")),
  fc.constantFrom("True", "False", "tf1", "tf2", "=1", "a b", " a", "a\n"),
);
const anyField = fc.oneof(anyNumber, anyText, fc.constantFrom(null, undefined, true, [], {}));
const anyChange = fc.oneof(
  fc.record({ field: fc.constantFrom(...FIELDS, "other"), value: anyField }),
  fc.record({ field: fc.constant("camera_ref"), value: anyText }),
  fc.record({ field: fc.constant("timestamp"), value: anyText }),
);
const anyRecord = fc
  .tuple(fc.constantFrom({ ...RECORD }, FAILING), fc.array(anyChange, { maxLength: 3 }))
  .map(([record, changes]) => ({
    ...record,
    ...Object.fromEntries(changes.map(({ field, value }) => [field, value])),
  }));

test("the schema and a load accept the same values", () =>
  fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: anyRecord }, fc.anything()), async (value) => {
      expect(TrafficRecord.safeParse(value).success).toBe(await isAccepted(value));
    }),
    { numRuns: 500 },
  ));
