import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PAGE_SIZE } from "../../src/records/page.ts";
import type { Day } from "../../src/records/statistics.ts";
import { findDate } from "../../src/site/go.ts";
import { createInstance, createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { IN_BROWSER } from "./web-page.ts";

const PATH = "/api/tf1/records/";

/** Two days of 192 records, and a day of 16. */
const records = makeRecords(400);

const service = await createMemoryService(records);

/** @returns the status and where it leads */
async function go(query: string): Promise<[status: number, location: string | null]> {
  const response = await service.fetch(`/go${query}`);
  return [response.status, response.headers.get("location")];
}

describe("a jump to a date", () => {
  test.each([
    ["?date=2019-05-19", `${PATH}?page=1#2019-05-19`],
    ["?date=2019-05-18", `${PATH}?page=2#2019-05-18`],
    ["?date=2019-05-17", `${PATH}?page=14#2019-05-17`],
    ["?date=2030-01-01", `${PATH}?page=1#nearest-2019-05-19`],
    ["?date=2000-01-01", `${PATH}?page=14#nearest-2019-05-17`],
    ["?date=2019-05-18&page=9&x=%26&format=api", `${PATH}?x=%26&format=api&page=2#2019-05-18`],
    ["?date=&page=3&x=1", `${PATH}?x=1`],
    ["", `${PATH}?`],
  ])("/go%s leads to %s", async (query, location) => {
    expect(await go(query)).toEqual([302, location]);
  });

  test("leads to a page that has the place", async () => {
    for (const date of ["2019-05-18", "2019-05-17", "2030-01-01", "2000-01-01"]) {
      const [, location] = await go(`?date=${date}`);
      const [path, place] = location!.split("#");
      const page = await (await service.fetch(path!, IN_BROWSER)).text();
      expect(page).toContain(`id="${place}"`);
    }
  });

  test.each(["?date=yesterday", "?date=2019-02-30", "?date=2019-5-1", "?date=2019-05-17T00:00:00Z"])(
    "/go%s is refused",
    async (query) => {
      const response = await service.fetch(`/go${query}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ detail: "date must be a day such as 2025-10-29." });
    },
  );

  test("counts from the records that a growing collection shows", async () => {
    const { fetch } = createInstance(service.store, { now: () => Date.UTC(2026, 0, 1) });
    const { count } = Object(await (await fetch(`${PATH}?prefer=grow=1/s`)).json());
    const location = (await fetch("/go?date=2019-05-17&prefer=grow=1/s")).headers.get("location");
    expect(count).toBeLessThan(records.length);
    expect(location).toContain(`page=${findDate([["2019-05-17", 192, 0, 0, 0]], "2019-05-17", count).page}#`);
  });

  test("leads to the nearest day with records, older or newer", async () => {
    const days = ["2019-05-19", "2025-10-27"];
    const { fetch } = await createMemoryService(
      makeRecords(40).map((record, index) => ({
        ...record,
        timestamp: `${days[Math.floor(index / 20)]}T00:00:00Z`,
      })),
    );
    const lead = async (date: string) => (await fetch(`/go?date=${date}`)).headers.get("location");
    expect(await lead("2025-10-26")).toBe(`${PATH}?page=1#nearest-2025-10-27`);
    expect(await lead("2019-05-20")).toBe(`${PATH}?page=2#nearest-2019-05-19`);
  });

  test("leads to the first page of an empty collection", async () => {
    const response = await (await createMemoryService()).fetch("/go?date=2019-05-17");
    expect(response.headers.get("location")).toBe(`${PATH}?page=1#2019-05-17`);
  });
});

test("the page of any date begins with or contains its newest record", () => {
  const days = fc.array(fc.nat(40), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(days, fc.integer({ min: 0, max: 22 }), (counts, chosen) => {
      const name = (day: number) => `2025-01-${String(day + 1).padStart(2, "0")}`;
      // A number below 5 is a day without records.
      const days = counts.flatMap((count, day): Day[] => (count < 5 ? [] : [[name(day), count, 0, 0, 0]]));
      fc.pre(days.length > 0);
      const all = days.flatMap(([day, records]) => Array<string>(records).fill(day));
      const found = findDate(days, name(chosen), all.length);
      const page = all.toReversed().slice(PAGE_SIZE * (found.page - 1), PAGE_SIZE * found.page);
      const distance = (day: string) => Math.abs(Date.parse(day) - Date.parse(name(chosen)));
      const nearest = Math.min(...all.map(distance));
      expect(page.indexOf(found.day)).toBeGreaterThanOrEqual(0);
      expect(distance(found.day)).toBe(nearest);
      expect(all.toReversed().indexOf(found.day)).toBe(
        PAGE_SIZE * (found.page - 1) + page.indexOf(found.day),
      );
    }),
  );
});
