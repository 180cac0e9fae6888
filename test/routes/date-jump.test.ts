import { expect, test } from "vitest";
import { PATH } from "../support/exchange.ts";
import { IN_BROWSER } from "../support/html-view.ts";
import { createInstance, createMemoryService } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

/** Two days of 192 records, and a day of 15, which fill a page. */
const records = makeRecords(399);

const service = await createMemoryService(records);

/** Two days that share a page, and a day between them that has no records. */
const others = records.filter(({ timestamp }) => !timestamp.startsWith("2019-05-18"));
const withGap = await createMemoryService(others.slice(0, -1));

test.each([
  ["the newest day", "2019-05-19", 1],
  ["a day between", "2019-05-18", 2],
  ["the oldest day", "2019-05-17", 14],
])("a jump leads to the first record of its day: %s", async (_, date, number) => {
  const { status, headers } = await service.fetch(`/go?date=${date}&page=9&x=%26&a=1`);
  const target = `${PATH}?a=1&format=api&page=${number}&x=%26`;
  expect([status, headers.get("location")]).toEqual([302, `${target}#${date}`]);
  const page = await (await service.fetch(target, IN_BROWSER)).text();
  expect(page.split(`<tr id="${date}"`)).toHaveLength(2);
});

test.each([
  ["after the newest day", "2030-01-01", ["2019-05-19"], service],
  ["before the oldest day", "2000-01-01", ["2019-05-17"], service],
  ["between two days", "2019-05-18", ["2019-05-17", "2019-05-19"], withGap],
  ["in an empty collection", "2019-05-18", [], await createMemoryService()],
])("a jump to a day without records is a 404 that names the nearest: %s", async (...row) => {
  const [, date, nearest, { fetch }] = row;
  const response = await fetch(`/go?date=${date}&x=1`);
  expect([response.status, response.headers.get("cache-control")]).toEqual([404, "no-store"]);
  const { detail, ...rest } = Object(await response.json());
  expect(rest).toEqual({ nearest });
  for (const day of [date, ...nearest]) expect(detail).toContain(day);
});

test.each([
  ["of the deployment", { PREFER: "grow=1/s, code=503" }, "", 404],
  ["of the request", {}, "&prefer=grow=1/s", 404],
  ["turned off", { PREFER: "grow=1/s" }, "&prefer=none", 302],
])("a jump to a day that grow hides: grow %s", async (_, settings, query, status) => {
  // In the beginning, 198 records are hidden.
  const { fetch } = createInstance(service.store, { settings, now: () => 0 });
  const response = await fetch(`/go?date=2019-05-19${query}`);
  expect([response.status, response.headers.get("cache-control")]).toEqual([status, "no-store"]);
  expect(response.headers.get("preference-applied")).toBe(null);
  if (status === 404) expect(await response.json()).toMatchObject({ nearest: ["2019-05-18"] });
});
