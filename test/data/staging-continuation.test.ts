import { describe, expect, test, vi } from "vitest";
import type { Continuation } from "../../data/staging.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { makeRecord } from "./formats/read-input.ts";
import { noon, stageFiles, writeReport } from "./stage-files.ts";

const LOADED = [
  makeRecord({ id: 48, timestamp: noon(2), camera_ok: "False", cars: 0, persons: 0, bicycles: 0 }),
  makeRecord({ id: 50, timestamp: noon(3) }),
];

/** What is loaded: ids up to 50, of which 48 and 50 are there. */
function continuation(fields: Partial<Continuation> = {}) {
  return {
    newest: noon(3),
    largestId: 50,
    cameras: new Map([
      [7, "a33"],
      [9, "c94"],
    ]),
    skipKnown: false,
    async *findIds(ids: Iterable<number>) {
      for (const id of ids) if (id === 48 || id === 50) yield id;
    },
    async *readSince() {
      yield* LOADED;
    },
    ...fields,
  } satisfies Continuation;
}

const NEW = { id: 51, timestamp: noon(4) };
const OLD = `is not later than "${noon(3)}", the newest that is loaded`;

describe("records that are added", () => {
  test.each<[string, Partial<TrafficRecord>[], string[]]>([
    ["newer ones of known cameras", [NEW, { ...NEW, id: 52, camera_pk: 9, camera_ref: "c94" }], []],
    ["a new camera, which may share the camera_ref of another", [{ ...NEW, camera_pk: 8 }], []],
    ["an id below the largest that is not loaded", [{ ...NEW, id: 49 }], []],
    ["the newest timestamp", [{ ...NEW, timestamp: noon(3) }], [`a:1: timestamp "${noon(3)}" ${OLD}`]],
    ["an older timestamp", [NEW, { timestamp: noon(2) }], [`a:2: timestamp "${noon(2)}" ${OLD}`]],
    ["an id that is loaded", [NEW, { id: 48, timestamp: noon(5) }], ["a:2: id 48 is already loaded"]],
    ["the largest id", [{ ...NEW, id: 50 }], ["a:1: id 50 is already loaded"]],
    [
      "another camera_ref for a camera",
      [{ ...NEW, camera_ref: "b" }],
      ['a:1: camera_ref "b" is not the camera_ref of camera_pk 7, which is "a33" in what is loaded'],
    ],
    ["an id twice", [NEW, { ...NEW, timestamp: noon(5) }], ["a:2: id 51 already stands in a:1"]],
  ])("%s", async (_, records, problems) => {
    expect(await stageFiles({ a: records }, { continuation: continuation() })).toMatchObject({ problems });
  });

  test("are told with all else that is wrong, in the order of lines", async () => {
    const records = [{ ...NEW, id: 48 }, { timestamp: noon(1) }, { ...NEW, cars: -1 }];
    const { problems } = await stageFiles({ a: records }, { continuation: continuation() });
    expect(problems.map((problem) => problem.split(" ", 2).join(" "))).toEqual([
      "a:1: id",
      "a:2: timestamp",
      "a:3: cars",
    ]);
  });

  test("are looked for only if their id is not above the largest", async () => {
    const asked = vi.fn();
    const findIds: Continuation["findIds"] = async function* (ids) {
      asked([...ids]);
      yield* [];
    };
    const records = [40, 51, 50, 60].map((id) => ({ id, camera_pk: id, timestamp: noon(4) }));
    await stageFiles({ a: records }, { continuation: continuation({ findIds }) });
    expect(asked.mock.calls).toEqual([[[40, 50]]]);
  });

  const SKIPPING = { continuation: continuation({ skipKnown: true }) };
  const ALONE = `${OLD}, and nothing like it is loaded`;

  test("are passed over if they are loaded, as often as they come", async () => {
    const known = { id: 50, timestamp: noon(3) };
    const mended = { id: 48, timestamp: noon(2), camera_ok: "False" as const };
    const staged = await stageFiles({ a: [known, NEW, mended], b: [known] }, { ...SKIPPING, strict: true });
    expect(staged).toMatchObject({ problems: [], count: 1, skipped: 3, zeroed: 0 });
    expect(staged.records).toMatchObject([NEW]);
  });

  test.each<[string, Partial<TrafficRecord>]>([
    ["has the newest timestamp", { id: 51, camera_pk: 8, camera_ref: "b", timestamp: noon(3) }],
    ["is older than all that is loaded", { id: 1, timestamp: noon(1) }],
    ["has another count", { id: 50, timestamp: noon(3), buses: 1 }],
    ["has another health", { id: 50, timestamp: noon(3), camera_ok: "True" }],
    ["has another id", { id: 49, timestamp: noon(3) }],
  ])("are not passed over if one that is not loaded %s", async (_, fields) => {
    const records = [{ id: 50, timestamp: noon(3) }, fields, NEW];
    const { timestamp } = fields;
    expect((await stageFiles({ a: records }, SKIPPING)).problems).toEqual([
      `a:2: timestamp "${timestamp}" ${ALONE}`,
    ]);
  });

  test("are compared with no more than is as old as they are", async () => {
    const asked = vi.fn();
    const readSince: Continuation["readSince"] = async function* (timestamp) {
      asked(timestamp);
      yield* LOADED;
    };
    const skipping = continuation({ skipKnown: true, readSince });
    await stageFiles({ a: [NEW] }, { continuation: skipping });
    expect(asked).not.toHaveBeenCalled();
    await stageFiles({ a: [{ timestamp: noon(3) }, { timestamp: noon(2) }] }, { continuation: skipping });
    expect(asked.mock.calls).toEqual([[noon(2)]]);
  });
});

describe("a report that is added", () => {
  const report = writeReport(
    "2019-02-05 13:00:00Z,2019-02-05 12:00:00Z,new,tf1,1,0,0,0,0,0,0",
    "2019-02-05 12:30:00Z,2019-02-05 12:00:00Z,C94,tf1,2,0,0,0,0,0,0",
    "2019-02-05 12:40:00Z,2019-02-05 11:00:00Z,newer,tf1,3,0,0,0,0,0,0",
    "2019-02-05 12:50:00Z,2019-02-05 10:00:00Z,a33,tf1,4,0,0,0,0,0,0",
  );

  test("goes on from the largest id and camera_pk, and known cameras keep theirs", async () => {
    const cameras = new Map([
      [7, "a33"],
      [9, "c94"],
      [12, "a33"],
    ]);
    const staged = await stageFiles({ a: report }, { continuation: continuation({ cameras }) });
    expect(staged.problems).toEqual([]);
    expect(
      staged.records.map(({ id, camera_pk, camera_ref, cars }) => [id, camera_pk, camera_ref, cars]),
    ).toEqual([
      [53, 7, "a33", 4],
      [52, 13, "newer", 3],
      [54, 14, "new", 1],
      [51, 9, "c94", 2],
    ]);
  });

  const MOST = Number.MAX_SAFE_INTEGER;
  const atEnd = (field: string, largest: number) =>
    `A report goes on from the largest ${field} that is loaded, ${largest}, but ${MOST} is the largest there can be. Nothing was added.`;

  test("may take the last ids and camera_pks that there can be, and no more", async () => {
    const add = (largestId: number, largestPk: number) => {
      const cameras = new Map([[largestPk, "other"]]);
      return stageFiles({ a: report }, { continuation: continuation({ largestId, cameras }) });
    };
    const { records } = await add(MOST - 4, MOST - 4);
    expect(Math.max(...records.map(({ id }) => id))).toBe(MOST);
    expect(Math.max(...records.map(({ camera_pk }) => camera_pk))).toBe(MOST);
    await expect(add(MOST - 3, 1)).rejects.toThrow(atEnd("id", MOST - 3));
    await expect(add(1, MOST - 3)).rejects.toThrow(atEnd("camera_pk", MOST - 3));
  });

  test("that is old is refused with its lines", async () => {
    const old = writeReport("2019-02-05 13:00:00Z,2019-02-03 12:00:00.9Z,a33,tf1,1,0,0,0,0,0,0");
    expect(await stageFiles({ a: old }, { continuation: continuation() })).toMatchObject({
      problems: [`a:2: timestamp "${noon(3)}" ${OLD}`],
    });
  });

  test("is passed over where it is loaded, whatever its numbers there are", async () => {
    const known = "2019-02-05 13:00:00Z,2019-02-03 12:00:00.9Z,A33,tf1,3,2,1,0,0,0,";
    const other = "2019-02-05 13:00:00Z,2019-02-03 12:00:00Z,a33,tf1,4,2,1,0,0,0,";
    const skipping = { continuation: continuation({ skipKnown: true }) };
    expect(await stageFiles({ a: writeReport(known) }, skipping)).toMatchObject({ problems: [], skipped: 1 });
    expect(await stageFiles({ a: writeReport(known, other) }, skipping)).toMatchObject({
      problems: [`a:3: timestamp "${noon(3)}" ${OLD}, and nothing like it is loaded`],
    });
  });
});
