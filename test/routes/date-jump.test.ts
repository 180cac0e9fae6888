import { describe, expect, test } from "vitest";
import { createInstance, createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { extractText, IN_BROWSER } from "../views/html-view.ts";

const PATH = "/api/tf1/records/";

/** Two days of 192 records, and a day of 15, which fill a page. */
const records = makeRecords(399);

const service = await createMemoryService(records);

/** Two days that share a page, and a day between them that has no records. */
const withGap = await createMemoryService(
  records.filter(({ timestamp }) => !timestamp.startsWith("2019-05-18")).slice(0, -1),
);

describe("a jump to a date", () => {
  test.each([
    ["2019-05-19", "2019-05-19", 1, service],
    ["2019-05-18", "2019-05-18", 2, service],
    ["2019-05-17", "2019-05-17", 14, service],
    ["2030-01-01", "2019-05-19", 1, service],
    ["2000-01-01", "2019-05-17", 14, service],
    ["2019-05-18", "2019-05-17", 1, withGap],
    ["2019-05-19", "2019-05-19", 1, withGap],
  ])("to %s redirects to %s on page %i, and marks the day in the HTML view", async (...row) => {
    const [date, day, number, { fetch }] = row;
    const json = await fetch(`/go?date=${date}&page=9&x=%26`);
    const location = `${PATH}?x=%26&page=${number}#${day}`;
    expect([json.status, json.headers.get("location")]).toEqual([302, location]);
    const html = await fetch(`/go?date=${date}&x=1`, IN_BROWSER);
    const target = String(html.headers.get("location"));
    expect(target).toBe(`${PATH}?x=1&page=${number}&jump-date=${date}#${day}`);
    const page = await (await fetch(target.replace(/#.*/, ""), IN_BROWSER)).text();
    expect(page).toContain(`name="date" type="date" value="${date}"`);
    expect(page.split(`<tr id="${day}"`)).toHaveLength(2);
    const messages = Array.from(page.matchAll(/<tr class="nearest">(.*?)<\/tr><tr id="(.*?)"/g));
    const message = `This page has no records from ${date}. The nearest are from ${day}.`;
    expect(messages.map(([, text = "", id]) => [extractText(text), id])).toEqual(
      date === day ? [] : [[message, day]],
    );
    expect(page).toContain("&amp;x=1");
    expect(page).not.toContain("jump-date");
  });

  test.each(["yesterday", "2019-02-30", "2019-5-1", "2019-05-17T00:00:00Z"])(
    "to %s is rejected",
    async (date) => expect((await service.fetch(`/go?date=${date}`)).status).toBe(400),
  );

  const PREFER = "grow=1/s, code=503";

  test.each([
    [{}, "&prefer=grow=1/s", ""],
    [{ PREFER }, "", "&prefer=grow=1/s"],
    [{ PREFER }, "&prefer=none", ""],
  ])("with %j, /go?date=...%s redirects to a page of the same view", async (...row) => {
    const [settings, query, view] = row;
    const { fetch } = createInstance(service.store, { settings, now: () => Date.UTC(2026, 0, 1) });
    for (const day of ["2019-05-16", "2019-05-17", "2019-05-18", "2019-05-19"]) {
      const { status, headers } = await fetch(`/go?date=${day}${query}`);
      expect([status, headers.get("preference-applied")], "without a fault").toEqual([302, null]);
      const [target = "", place] = headers.get("location")?.split("#") ?? [];
      expect(await (await fetch(target + view, IN_BROWSER)).text(), day).toContain(`id="${place}"`);
    }
  });

  test("redirects to the first page of an empty collection", async () => {
    const response = await (await createMemoryService()).fetch("/go?date=2019-05-17");
    expect(response.headers.get("location")).toBe(`${PATH}?page=1#2019-05-17`);
  });
});
