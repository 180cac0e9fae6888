import { describe, expect, test } from "vitest";
import { PATH } from "../support/exchange.ts";
import { IN_BROWSER } from "../support/html-view.ts";
import { createInstance, createMemoryService } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

/** Two days of 192 records, and a day of 15, which fill a page. */
const records = makeRecords(399);

const service = await createMemoryService(records);

/** Two days that share a page, and a day between them that has no records. */
const withGap = await createMemoryService(
  records.filter(({ timestamp }) => !timestamp.startsWith("2019-05-18")).slice(0, -1),
);

test.each([
  ["the newest day", "2019-05-19", "2019-05-19", 1, service],
  ["a day between", "2019-05-18", "2019-05-18", 2, service],
  ["the oldest day", "2019-05-17", "2019-05-17", 14, service],
  ["after the newest day", "2030-01-01", "2019-05-19", 1, service],
  ["before the oldest day", "2000-01-01", "2019-05-17", 14, service],
  ["between two days, of which the older wins", "2019-05-18", "2019-05-17", 1, withGap],
])("a jump leads to the nearest day, and the HTML view says so: %s", async (...row) => {
  const [, date, day, number, { fetch }] = row;
  const json = await fetch(`/go?date=${date}&page=9&x=%26&jump-date=2019-01-01`);
  expect([json.status, json.headers.get("location")]).toEqual([302, `${PATH}?x=%26&page=${number}#${day}`]);
  const html = await fetch(`/go?date=${date}&x=1`, IN_BROWSER);
  const target = String(html.headers.get("location"));
  expect(target).toBe(`${PATH}?x=1&page=${number}&jump-date=${date}#${day}`);
  const page = await (await fetch(target.replace(/#.*/, ""), IN_BROWSER)).text();
  expect(page).toContain(`name="date" type="date" value="${date}"`);
  expect(page.split(`<tr id="${day}"`)).toHaveLength(2);
  const messages = Array.from(page.matchAll(/<tr class="nearest">(.*?)<\/tr><tr id="(.*?)"/g));
  const described = messages.map(([, text = "", id]) => [text.includes(date), text.includes(day), id]);
  expect(described).toEqual(date === day ? [] : [[true, true, day]]);
  expect(page, "links and commands").not.toContain("jump-date");
});

test.each(["yesterday", "2019-02-30", "2019-5-1", "2019-05-17T00:00:00Z"])(
  "a jump to %s, which is no day, is rejected",
  async (date) => expect((await service.fetch(`/go?date=${date}`)).status).toBe(400),
);

const PREFER = "grow=1/s, code=503";

describe.each([
  { grow: "of the request", settings: {}, query: "&prefer=grow=1/s", view: "" },
  { grow: "of the deployment", settings: { PREFER }, query: "", view: "&prefer=grow=1/s" },
  { grow: "turned off", settings: { PREFER }, query: "&prefer=none", view: "" },
])("in a growing collection, with grow $grow, a jump", ({ settings, query, view }) => {
  const { fetch } = createInstance(service.store, { settings, now: () => Date.UTC(2026, 0, 1) });

  test.each(["2019-05-16", "2019-05-17", "2019-05-18", "2019-05-19"])(
    "to %s leads to a record that is visible, without a fault",
    async (day) => {
      const { status, headers } = await fetch(`/go?date=${day}${query}`);
      expect([status, headers.get("preference-applied")]).toEqual([302, null]);
      const [target = "", id] = headers.get("location")?.split("#") ?? [];
      expect(await (await fetch(target + view, IN_BROWSER)).text()).toContain(`id="${id}"`);
    },
  );
});

test("a jump in an empty collection leads to its first page", async () => {
  const response = await (await createMemoryService()).fetch("/go?date=2019-05-17");
  expect(response.headers.get("location")).toBe(`${PATH}?page=1#2019-05-17`);
});
