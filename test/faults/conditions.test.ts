import { expect, test } from "vitest";
import { getStatuses, LAST_PAGE, type SentRequest, sendAll, setTime } from "./faults-service.ts";

const NUMBERS = Array.from({ length: LAST_PAGE }, (_, index) => index + 1);

test.each<[name: string, prefer: string, pages: number[]]>([
  ["numbers and ranges", "on=3,7-9", [3, 7, 8, 9]],
  ["the last page", "on=2,last", [2, LAST_PAGE]],
  ["a page that does not exist", "on=99", []],
  ["every request", "fail=1", NUMBERS],
  ["no request", "fail=0", []],
  ["both conditions", "on=2-4, fail=1", [2, 3, 4]],
  ["a growing collection", "grow=20/s, on=3", [3]],
  ["the same pages in every version", "fail=0.2, seed=4", [4, 5, 8, 10, 16, 23]],
  ["the same pages in the first rule", "fail=0.2, seed=4, else, on=99", [4, 5, 8, 10, 16, 23]],
  ["other pages in the second", "on=99, else, fail=0.2, seed=4", [2, 3, 5, 11, 13, 15, 16, 18, 23, 26, 27]],
])("%s: %s without a fault causes 503 on the pages %j", async (_, prefer, pages) => {
  setTime(9_950);
  const statuses = await getStatuses(prefer, NUMBERS);
  expect(NUMBERS.filter((number) => statuses[number - 1] === 503)).toEqual(pages);
});

test.each<[prefer: string, request: SentRequest | string, status: number]>([
  ["on=27, code=500", "last", 500],
  ["on=last, code=500", "27", 500],
  ["on=99, code=500", "99", 500],
  ["on=1, code=500", "0", 404],
  ["on=2, code=500", "POST 2", 500],
  ["on=1, delay=5, times=9, seed=4", "2", 200],
  // The clock of the service, in milliseconds.
  ["until=2030-01-01T00:00:01Z", { at: 999 }, 503],
  ["until=2030-01-01T00:00:01Z", { at: 1_000 }, 200],
])("%s, page %j -> %i", async (prefer, request, status) =>
  expect(await getStatuses(prefer, [request])).toEqual([status]),
);

// biome-ignore format: a table of cases
test.each<[counted: string, prefer: string, requests: (SentRequest | string)[], expected: number[]]>([
  ["a page", "code=500, times=1", ["2", "3", "2", "3"], [500, 500, 200, 200]],
  ["a method", "code=500, times=1", ["2", "HEAD 2", "HEAD 2", "2"], [500, 500, 200, 200]],
  ["a run of a test", "code=500, times=1", ["2&run=a", "2&run=b", "2&run=a", "2", "2&run=", "2&run=null"], [500, 500, 200, 500, 500, 500]],
  ["each set of options, in any spelling", "code=500, times=1", ["2", { prefer: "code=502, times=1" }, { prefer: "CODE=500,times=1" }], [500, 502, 200]],
  ["a rule", "code=500, times=1, else, code=502, times=1", ["2", "2", "2"], [500, 502, 200]],
  ["the last page, also by its number", "code=500, times=1", ["last", String(LAST_PAGE)], [500, 200]],
  ["a page, also with a cache buster", "code=500, times=1", ["2&_=1", "2&_=2"], [500, 200]],
  ["a page, also in another spelling", "code=500, times=1", ["2", "02&format=json"], [500, 200]],
  ["no request on another page", "on=3, code=500, times=1", ["2", "3", "3"], [200, 500, 200]],
  ["no request below a rate", "rate=2/m, times=1", ["2", "2", "2", "2"], [200, 200, 429, 200]],
])("times counts %s: %s", async (_, prefer, requests, expected) => {
  setTime(0);
  expect(await getStatuses(prefer, requests)).toEqual(expected);
});

test("a rule applies as often as times says, however many requests fail excludes before", async () => {
  const statuses = await getStatuses("code=500, fail=0.2, times=3", Array(200).fill(2));
  expect(statuses.filter((status) => status === 500)).toHaveLength(3);
});

test.each([
  ["a share of the requests fails", "fail=0.5"],
  ["a share of the requests waits, and no other fault is added", "delay=1, fail=0.5"],
])("without a seed, %s: %s", async (_, prefer) => {
  const responses = await sendAll(prefer, Array(60).fill(2));
  const applied = responses.map(({ headers }) => headers.get("preference-applied"));
  const fault = prefer.startsWith("delay") ? prefer : `code=503, ${prefer}`;
  expect(new Set(applied)).toEqual(new Set([null, fault]));
});
