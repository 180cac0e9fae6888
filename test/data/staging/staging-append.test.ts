import { describe, expect, test, vi } from "vitest";
import type { AppendBase } from "../../../data/staging/append-base.ts";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { gatherStatistics } from "../../../src/records/statistics.ts";
import { NOTHING_LOADED } from "../../../src/store/store.ts";
import { makeRecord } from "../formats/read-input.ts";
import { noon, stageFiles, writeReport } from "./stage-files.ts";

const LOADED = [
  makeRecord({ id: 48, timestamp: noon(2), camera_ok: "False", cars: 0, persons: 0, bicycles: 0 }),
  makeRecord({ id: 50, timestamp: noon(3) }),
];

/** A loaded collection with the ids 48 and 50. */
function createBase({ skipKnown = false, largestId = 50, cameras, read }: Partial<Base> = {}): AppendBase {
  return {
    state: NOTHING_LOADED,
    statistics: {
      ...gatherStatistics().statistics(),
      last: noon(3),
      largest_id: largestId,
      cameras: cameras ?? [
        [7, "a33"],
        [9, "c94"],
      ],
    },
    skipKnown,
    read:
      read ??
      async function* () {
        yield* LOADED;
      },
  };
}

interface Base extends Pick<AppendBase, "skipKnown" | "read"> {
  largestId: number;
  cameras: [number, string][];
}

const NEW = { id: 51, timestamp: noon(4) };
const NOT_NEWER = `is not later than "${noon(3)}", the newest loaded timestamp`;

describe("appending records", () => {
  test.each<[string, Partial<TrafficRecord>[], string[]]>(
    // biome-ignore format: one case per line
    [
    ["accepts newer records of known cameras", [NEW, { ...NEW, id: 52, camera_pk: 9, camera_ref: "c94" }], []],
    ["accepts a new camera with the camera_ref of another camera", [{ ...NEW, camera_pk: 8 }], []],
    ["accepts an id below the largest loaded one", [{ ...NEW, id: 49 }], []],
    ["refuses the newest loaded timestamp", [{ ...NEW, timestamp: noon(3) }], [`a:1: timestamp "${noon(3)}" ${NOT_NEWER}`]],
    ["refuses an older timestamp", [NEW, { timestamp: noon(2) }], [`a:2: timestamp "${noon(2)}" ${NOT_NEWER}`]],
    ["refuses a loaded id", [NEW, { id: 48, timestamp: noon(5) }], ["a:2: id 48 is already loaded"]],
    ["refuses the largest loaded id", [{ ...NEW, id: 50 }], ["a:1: id 50 is already loaded"]],
    [
      "refuses another camera_ref for a loaded camera",
      [{ ...NEW, camera_ref: "b" }],
      ['a:1: camera_ref "b" differs from "a33", the camera_ref of camera_pk 7 in the loaded records'],
    ],
    ["refuses an id that appears twice", [NEW, { ...NEW, timestamp: noon(5) }], ["a:2: id 51 already appears in a:1"]],
  ],
  )("%s", async (_, records, problems) => {
    expect(await stageFiles({ a: records }, { appendBase: createBase() })).toMatchObject({ problems });
  });

  test("reports these problems together with all others, in the order of lines", async () => {
    const records = [{ ...NEW, id: 48 }, { timestamp: noon(1) }, { ...NEW, cars: -1 }];
    const { problems } = await stageFiles({ a: records }, { appendBase: createBase() });
    expect(problems.map((problem) => problem.split(" ", 2).join(" "))).toEqual([
      "a:1: id",
      "a:2: timestamp",
      "a:3: cars",
    ]);
  });

  test("reads no loaded records if all ids are above the largest loaded id", async () => {
    const read = vi.fn<AppendBase["read"]>();
    const records = [51, 60].map((id) => ({ id, camera_pk: id, timestamp: noon(4) }));
    expect((await stageFiles({ a: records }, { appendBase: createBase({ read }) })).problems).toEqual([]);
    expect(read).not.toHaveBeenCalled();
  });

  const SKIP_KNOWN = { appendBase: createBase({ skipKnown: true }) };
  const UNKNOWN = `${NOT_NEWER}, and no identical record is loaded`;

  test("skips known records, even repeated ones", async () => {
    const known = { id: 50, timestamp: noon(3) };
    const zeroed = { id: 48, timestamp: noon(2), camera_ok: "False" as const };
    const staged = await stageFiles({ a: [known, NEW, zeroed], b: [known] }, { ...SKIP_KNOWN, strict: true });
    expect(staged).toMatchObject({ problems: [], count: 1, skipped: 3, zeroed: 0 });
    expect(staged.records).toMatchObject([NEW]);
  });

  test.each<[string, Partial<TrafficRecord>]>([
    ["has the newest timestamp", { id: 51, camera_pk: 8, camera_ref: "b", timestamp: noon(3) }],
    ["is older than all loaded records", { id: 1, timestamp: noon(1) }],
    ["has another count", { id: 50, timestamp: noon(3), buses: 1 }],
    ["has another camera_ok", { id: 50, timestamp: noon(3), camera_ok: "True" }],
    ["has another id", { id: 49, timestamp: noon(3) }],
  ])("does not skip a record that %s", async (_, fields) => {
    const records = [{ id: 50, timestamp: noon(3) }, fields, NEW];
    const { timestamp } = fields;
    expect((await stageFiles({ a: records }, SKIP_KNOWN)).problems).toEqual([
      `a:2: timestamp "${timestamp}" ${UNKNOWN}`,
    ]);
  });

  test("reads loaded records only from the oldest timestamp of the input on, and none for newer input", async () => {
    const requested = vi.fn();
    const read: AppendBase["read"] = async function* (since) {
      requested(since);
      yield* LOADED;
    };
    const base = createBase({ skipKnown: true, read });
    await stageFiles({ a: [NEW] }, { appendBase: base });
    expect(requested).not.toHaveBeenCalled();
    await stageFiles({ a: [{ timestamp: noon(3) }, { timestamp: noon(2) }] }, { appendBase: base });
    expect(requested.mock.calls).toEqual([[noon(2)]]);
  });
});

describe("appending a report", () => {
  const report = writeReport(
    "2019-02-05 13:00:00Z,2019-02-05 12:00:00Z,new,tf1,1,0,0,0,0,0,0",
    "2019-02-05 12:30:00Z,2019-02-05 12:00:00Z,C94,tf1,2,0,0,0,0,0,0",
    "2019-02-05 12:40:00Z,2019-02-05 11:00:00Z,newer,tf1,3,0,0,0,0,0,0",
    "2019-02-05 12:50:00Z,2019-02-05 10:00:00Z,a33,tf1,4,0,0,0,0,0,0",
  );

  test("continues after the largest id and camera_pk, and loaded cameras keep their camera_pk", async () => {
    const cameras: [number, string][] = [
      [7, "a33"],
      [9, "c94"],
      [12, "a33"],
    ];
    const staged = await stageFiles({ a: report }, { appendBase: createBase({ cameras }) });
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

  const MAX = Number.MAX_SAFE_INTEGER;
  test("can use the last possible ids and camera_pks, but no more", async () => {
    const add = (largestId: number, largestPk: number) => {
      const cameras: [number, string][] = [[largestPk, "other"]];
      return stageFiles({ a: report }, { appendBase: createBase({ largestId, cameras }) });
    };
    const { records } = await add(MAX - 4, MAX - 4);
    expect(Math.max(...records.map(({ id }) => id))).toBe(MAX);
    expect(Math.max(...records.map(({ camera_pk }) => camera_pk))).toBe(MAX);
    await expect(add(MAX - 3, 1)).rejects.toThrow("1 row of the report would get an id or a camera_pk above");
    await expect(add(1, MAX - 3)).rejects.toThrow("would get an id or a camera_pk above");
  });

  test("refuses old observations and reports their lines", async () => {
    const old = writeReport("2019-02-05 13:00:00Z,2019-02-03 12:00:00.9Z,a33,tf1,1,0,0,0,0,0,0");
    expect(await stageFiles({ a: old }, { appendBase: createBase() })).toMatchObject({
      problems: [`a:2: timestamp "${noon(3)}" ${NOT_NEWER}`],
    });
  });

  test("skips known observations by their other fields, since they have no id and camera_pk", async () => {
    const known = "2019-02-05 13:00:00Z,2019-02-03 12:00:00.9Z,A33,tf1,3,2,1,0,0,0,";
    const other = "2019-02-05 13:00:00Z,2019-02-03 12:00:00Z,a33,tf1,4,2,1,0,0,0,";
    const options = { appendBase: createBase({ skipKnown: true }) };
    expect(await stageFiles({ a: writeReport(known) }, options)).toMatchObject({ problems: [], skipped: 1 });
    expect(await stageFiles({ a: writeReport(known, other) }, options)).toMatchObject({
      problems: [`a:3: timestamp "${noon(3)}" ${NOT_NEWER}, and no identical record is loaded`],
    });
  });
});
