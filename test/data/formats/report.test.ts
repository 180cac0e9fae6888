import { expect, test } from "vitest";
import { writeReport } from "../../../data/formats/report.ts";
import { makeRecords } from "../../records/sample.ts";
import { stageFiles } from "../staging/stage-files.ts";
import { collect } from "./read-input.ts";

const write = async (records: ReturnType<typeof makeRecords>) =>
  (await collect(writeReport(records))).join("");

test("a report loses id and camera_pk, but keeps the order of ids and all other fields", async () => {
  const records = makeRecords(200).map((record) => ({ ...record, id: record.id * 7_919 - 500_000 }));
  const staged = await stageFiles({ a: await write(records) });
  expect(staged.problems).toEqual([]);
  const ranks = records.map(({ id }) => id).sort((one, other) => one - other);
  const pks = new Map(staged.records.map(({ camera_ref, camera_pk }) => [camera_ref, camera_pk]));
  expect([...pks.values()].sort()).toEqual([1, 2, 3, 4]);
  expect(staged.records).toEqual(
    records.map((record) => ({
      ...record,
      id: ranks.indexOf(record.id) + 1,
      camera_pk: pks.get(record.camera_ref),
    })),
  );
});

test.each([253_402_300_800_000, -62_167_219_200_001])(
  "a report cannot contain the id %i, which is not a valid processing time",
  async (id) => {
    await expect(write([{ ...makeRecords(1)[0]!, id }])).rejects.toThrow(
      `id ${id} cannot be written to a report`,
    );
  },
);
