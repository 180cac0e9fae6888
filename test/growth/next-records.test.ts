import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextRecords } from "../../src/growth/next-records.ts";
import { statisticsOf } from "../tools/data/statistics.ts";
import { recordsOf } from "./collection.ts";

const NOW = new Date("2026-11-20T12:05:00Z");
const loaded = recordsOf("2026-11-20T10:00:00Z", "2026-11-20T11:30:00Z");
const next = recordsOf("2026-11-20T11:30:00Z", "2026-11-20T12:00:00Z");
const statistics = statisticsOf(loaded);

describe("nextRecords", () => {
  test("returns the generated records of the period, in the collection's order", () => {
    expect(nextRecords(statistics, NOW)).toEqual(next);
    expect(next.length).toBeGreaterThan(70);
  });

  test("gives every record a new id, run after run, for any largest loaded id", () => {
    fc.assert(
      fc.property(
        fc.nat(1e12),
        fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 5 }),
        (largest, runs) => {
          const ids = new Set<number>();
          let before = { ...statistics, largest_id: largest };
          let now = NOW.getTime();
          for (const intervals of runs) {
            const records = nextRecords(before, new Date(now));
            for (const { id } of records) {
              expect(id).toBeGreaterThan(before.largest_id);
              expect(ids.has(id)).toBe(false);
              ids.add(id);
            }
            const { last, largest_id } = records.length > 0 ? statisticsOf(records) : before;
            before = { ...before, last, largest_id: Math.max(before.largest_id, largest_id ?? 0) };
            now += intervals * 1_800_000;
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test("changes only the ids if larger ids are loaded", () => {
    const moved = nextRecords({ ...statistics, largest_id: 1_000_000_000 }, NOW);
    const distance = moved[0]!.id - next[0]!.id;
    expect(moved).toEqual(next.map((record) => ({ ...record, id: record.id + distance })));
    expect(Math.min(...moved.map(({ id }) => id))).toBe(1_000_000_001);
  });

  test.each<[string, [number, string][]]>([
    ["other cameras are loaded", [[5_000, "elsewhere"]]],
    ["no cameras are loaded", []],
  ])("adds the same records if %s", (_, cameras) => {
    expect(nextRecords({ ...statistics, cameras }, NOW)).toEqual(next);
  });

  const [pk, ref] = statistics.cameras[4]!;
  test.each<[[number, string], string]>([
    [[pk, "other"], `camera_pk ${pk} is loaded with camera_ref "other"`],
    [[5_000, ref], `camera_pk 5000 is loaded with camera_ref "${ref}"`],
  ])("throws if %j is loaded", (camera, message) => {
    const cameras = [...statistics.cameras.filter(([other]) => other !== pk), camera];
    expect(() => nextRecords({ ...statistics, cameras }, NOW)).toThrow(message);
  });

  test("throws if no larger id is a safe integer", () => {
    const largest_id = Number.MAX_SAFE_INTEGER - 10;
    expect(() => nextRecords({ ...statistics, largest_id }, NOW)).toThrow(
      `there are not enough ids above the largest one, ${largest_id}`,
    );
  });
});
