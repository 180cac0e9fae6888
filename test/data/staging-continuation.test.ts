import { describe, expect, test, vi } from "vitest";
import type { Continuation } from "../../data/staging.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { noon, stageFiles, writeReport } from "./sources/stage-files.ts";

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
    ["the newest timestamp", [{ ...NEW, timestamp: noon(3) }], [`a:1: timestamp: "${noon(3)}" ${OLD}`]],
    ["an older timestamp", [NEW, { timestamp: noon(2) }], [`a:2: timestamp: "${noon(2)}" ${OLD}`]],
    ["an id that is loaded", [NEW, { id: 48, timestamp: noon(5) }], ["a:2: id: 48 is already loaded"]],
    ["the largest id", [{ ...NEW, id: 50 }], ["a:1: id: 50 is already loaded"]],
    [
      "another camera_ref for a camera",
      [{ ...NEW, camera_ref: "b" }],
      ['a:1: camera_ref: "b" is not the camera_ref of camera_pk 7, which is "a33" in what is loaded'],
    ],
    ["an id twice", [NEW, { ...NEW, timestamp: noon(5) }], ["a:2: id: 51 already stands in a:1"]],
  ])("%s", async (_, records, problems) => {
    expect(await stageFiles({ a: records }, { continuation: continuation() })).toMatchObject({ problems });
  });

  test("are told with all else that is wrong, in the order of lines", async () => {
    const records = [{ ...NEW, id: 48 }, { timestamp: noon(1) }, { ...NEW, cars: -1 }];
    const { problems } = await stageFiles({ a: records }, { continuation: continuation() });
    expect(problems.map((problem) => problem.split(" ", 2).join(" "))).toEqual([
      "a:1: id:",
      "a:2: timestamp:",
      "a:3: cars:",
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

  test("are passed over if they are not newer, whatever else is wrong with them", async () => {
    const known = { id: 48, camera_ref: "other", camera_ok: "False" as const };
    const records = [
      { ...known, timestamp: noon(3) },
      NEW,
      { ...known, timestamp: noon(2) },
      { ...known, timestamp: noon(2) },
    ];
    const staged = await stageFiles(
      { a: records },
      { strict: true, continuation: continuation({ skipKnown: true }) },
    );
    expect(staged).toMatchObject({ problems: [], count: 1, skipped: 3, zeroed: 0 });
    expect(staged.records).toMatchObject([NEW]);
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
      problems: [`a:2: timestamp: "${noon(3)}" ${OLD}`],
    });
  });
});
