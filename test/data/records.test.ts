import { describe, expect, test } from "vitest";
import { InputError } from "../../data/input-error.ts";
import { requireRecords } from "../../data/records.ts";
import { makeRecords } from "../records/sample.ts";

const RECORDS = makeRecords(40);

test("records in any order are sorted oldest first", () => {
  expect(requireRecords(RECORDS.toReversed())).toEqual(RECORDS);
  expect(requireRecords(new Set(RECORDS))).toEqual(RECORDS);
  expect(requireRecords([])).toEqual([]);
});

test("with equal timestamps, camera_ref descends in the order of code points, then id", () => {
  const [record] = RECORDS;
  const refs = ["\u{1f6b2}", "\uffee", "b", "a"];
  const records = refs.map((camera_ref, index) => ({ ...record!, id: index, camera_pk: index, camera_ref }));
  const twin = { ...record!, id: 9, camera_pk: 9, camera_ref: "a" };
  expect(requireRecords([...records, twin].toReversed()).map(({ id }) => id)).toEqual([0, 1, 2, 9, 3]);
});

describe.each<[string, (records: Record<string, unknown>[]) => unknown[], string]>(
  // biome-ignore format: one case per line
  [
    ["a wrong value", ([first, ...rest]) => [...rest, { ...first, cars: -1 }], "records[39]: cars -1 is not a whole number, 0 or greater"],
    [
    "several wrong fields",
    ([first, ...rest]) => [{ ...first, id: "5", vans: 1 }, ...rest],
    'records[0]: id "5" is not a whole number\nrecords[0]: vans is not a field of a record',
  ],
    ["a value that is no record", ([, ...rest]) => [...rest, null], "records[39]: null is not a record"],
    ["counts of a failed camera", ([first, ...rest]) => [{ ...first, camera_ok: "False", buses: 2 }, ...rest], 'records[0]: camera_ok "False" requires counts of 0, but'],
    ["another model", ([first, ...rest]) => [{ ...first, model_name: "tf2" }, ...rest], 'records[0]: model_name "tf2" is not "tf1"'],
    ["an id twice", (records) => records.with(7, { ...records[7], id: records[3]?.id }), `records[7]: id ${RECORDS[3]?.id} already appears in records[3]`],
    [
    "two records of a camera at one time",
    (records) => records.with(7, { ...records[3], id: 1e6 }),
    `records[7]: timestamp "${RECORDS[3]?.timestamp}" already appears for camera "${RECORDS[3]?.camera_ref}" in records[3]`,
  ],
    [
    "another camera_ref for a camera_pk",
    (records) => records.with(7, { ...records[7], camera_pk: records[3]?.camera_pk, camera_ref: "other" }),
    `records[7]: camera_ref "other" differs from "${RECORDS[3]?.camera_ref}", the camera_ref of camera_pk ${RECORDS[3]?.camera_pk} in records[`,
  ],
  ],
)("%s", (_, change, message) => {
  test("is refused with the record, the field and the value", () => {
    const read = () => requireRecords(change([...RECORDS]));
    expect(read).toThrow(InputError);
    expect(read).toThrow(message);
    expect(read).toThrow(/\nNothing was loaded\.$/);
  });
});

test("of many problems, 20 are listed", () => {
  const records = makeRecords(100).map((record) => ({ ...record, cars: 0.5 }));
  expect(() => requireRecords(records)).toThrow(/^(records\[\d+\]: cars 0.5 .*\n){20}and 80 more problems\n/);
});
