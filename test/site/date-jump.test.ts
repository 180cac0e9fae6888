import { describe, expect, test } from "vitest";
import { createInstance, createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { extractText, IN_BROWSER } from "./html-view.ts";

const PATH = "/api/tf1/records/";

/** Two days of 192 records, and a day of 15, which fill a page. */
const records = makeRecords(399);

const service = await createMemoryService(records);

/** Two days that share a page, and none between them. */
const withGap = await createMemoryService(
  records.filter(({ timestamp }) => !timestamp.startsWith("2019-05-18")).slice(0, -1),
);

describe("a jump to a date", () => {
  test.each([
    ["?date=2019-05-19", `${PATH}?page=1#2019-05-19`],
    ["?date=2019-05-18", `${PATH}?page=2#2019-05-18`],
    ["?date=2019-05-17", `${PATH}?page=14#2019-05-17`],
    ["?date=2030-01-01", `${PATH}?page=1#2019-05-19`],
    ["?date=2000-01-01", `${PATH}?page=14#2019-05-17`],
    ["?date=2019-05-18&page=9&x=%26&format=api", `${PATH}?x=%26&format=api&page=2#2019-05-18`],
    ["", `${PATH}?`],
  ])("/go%s leads to %s, which has the place", async (query, location) => {
    const { status, headers } = await service.fetch(`/go${query}`);
    expect([status, headers.get("location")]).toEqual([302, location]);
    const [target = "", place] = location.split("#");
    const page = await (await service.fetch(target, IN_BROWSER)).text();
    expect(page).toContain(place ? `id="${place}"` : "<h1>Records</h1>");
  });

  test.each([
    ["2019-05-18", "2019-05-18", 2, service],
    ["2019-05-21", "2019-05-19", 1, service],
    ["2000-01-01", "2019-05-17", 14, service],
    ["2019-05-18", "2019-05-17", 1, withGap],
    ["2019-05-19", "2019-05-19", 1, withGap],
  ])(
    "to %s in a browser leads to %s on page %i, and passes the date on to the page, but not to its links",
    async (...row) => {
      const [date, day, number, { fetch }] = row;
      const { headers } = await fetch(`/go?date=${date}&x=1`, IN_BROWSER);
      const [target = "", place] = String(headers.get("location")).split("#");
      expect(target).toMatch(new RegExp(`[?&]page=${number}&`));
      const page = await (await fetch(target, IN_BROWSER)).text();
      expect(page).toContain(`name="date" type="date" value="${date}"`);
      const sentences = Array.from(page.matchAll(/<tr class="nearest">(.*?)<\/tr><tr id="(.*?)"/g));
      const sentence = `This page has no records from ${date}. The nearest are from ${day}.`;
      expect(sentences.map(([, text = "", id]) => [extractText(text), id])).toEqual(
        date === day ? [] : [[sentence, day]],
      );
      expect([place, page.match(/has no records from/g)?.length ?? 0]).toEqual([day, sentences.length]);
      expect(page.split(`<tr id="${day}"`)).toHaveLength(2);
      expect(page).toContain("&amp;x=1");
      expect(page).not.toContain("jump-date");
      const json = await fetch(`/go?date=${date}&format=json`, IN_BROWSER);
      expect(json.headers.get("location")).not.toContain("jump-date");
    },
  );

  test.each(["yesterday", "2019-02-30", "2019-5-1", "2019-05-17T00:00:00Z"])(
    "to %s is refused",
    async (date) => expect((await service.fetch(`/go?date=${date}`)).status).toBe(400),
  );

  const PREFER = "grow=1/s, code=503";

  test.each([
    [{}, "&prefer=grow=1/s", ""],
    [{ PREFER }, "", "&prefer=grow=1/s"],
    [{ PREFER }, "&prefer=none", ""],
  ])("with %j, /go?date=...%s leads to a page of the view that the client then gets", async (...row) => {
    const [settings, query, view] = row;
    const { fetch } = createInstance(service.store, { settings, now: () => Date.UTC(2026, 0, 1) });
    for (const day of ["2019-05-16", "2019-05-17", "2019-05-18", "2019-05-19"]) {
      const { status, headers } = await fetch(`/go?date=${day}${query}`);
      expect([status, headers.get("preference-applied")], "without a fault").toEqual([302, null]);
      const [target = "", place] = headers.get("location")?.split("#") ?? [];
      expect(await (await fetch(target + view, IN_BROWSER)).text(), day).toContain(`id="${place}"`);
    }
  });

  test("leads to the first page of an empty collection", async () => {
    const response = await (await createMemoryService()).fetch("/go?date=2019-05-17");
    expect(response.headers.get("location")).toBe(`${PATH}?page=1#2019-05-17`);
  });
});
