import { describe, expect, test } from "vitest";
import { checkExchanges } from "../support/exchange.ts";
import { fetch, getStatuses, getTarget, LAST_PAGE, PAGE_2, prefer, setTime } from "./faults-service.ts";

const NUMBERS = Array.from({ length: LAST_PAGE }, (_, index) => index + 1);

test.each<{ name: string; prefer: string; expected: number[] }>([
  { name: "numbers and ranges", prefer: "on=3,7-9", expected: [3, 7, 8, 9] },
  { name: "the last page", prefer: "on=2,last", expected: [2, LAST_PAGE] },
  { name: "a page that does not exist", prefer: "on=99", expected: [] },
  { name: "every request", prefer: "fail=1", expected: NUMBERS },
  { name: "no request", prefer: "fail=0", expected: [] },
  { name: "both conditions", prefer: "on=2-4, fail=1", expected: [2, 3, 4] },
  { name: "a growing collection", prefer: "grow=20/s, on=3", expected: [3] },
  { name: "the same pages in every version", prefer: "fail=0.2, seed=4", expected: [5, 8, 15] },
])("$name: $prefer without a fault causes 503 on the pages $expected", async ({ prefer, expected }) => {
  setTime(9_950);
  const targets = NUMBERS.map((number) => getTarget(number));
  const statuses = await getStatuses(prefer, targets);
  expect(NUMBERS.filter((number) => statuses[number - 1] === 503)).toEqual(expected);
});

test.each([
  ["on=27, code=500", getTarget("last"), 500],
  ["on=last, code=500", getTarget(LAST_PAGE), 500],
  ["on=1, code=500", getTarget(0), 404],
  ["on=2, code=500", `POST ${PAGE_2}`, 500],
  ["on=1, delay=5, times=9, seed=4", PAGE_2, 200],
])("%s, %s -> %i", (text, target, status) => checkExchanges(fetch, prefer(text, target, { status })));

test.each([
  [999, 503],
  [1_000, 200],
])("until compares the clock of the service: after %i ms -> %i", async (milliseconds, status) => {
  setTime(milliseconds);
  expect(await getStatuses("until=2030-01-01T00:00:01Z", [PAGE_2])).toEqual([status]);
});

describe("times", () => {
  test("lets the retry of a crawl succeed, for each run of a test", async () => {
    for (const run of ["", "&run=a", "&run=b"]) {
      const statuses: number[] = [];
      for (const number of [1, 2, 3, 3, 4])
        statuses.push(...(await getStatuses("on=3, code=500, times=1", [getTarget(number, run)])));
      expect(statuses).toEqual([200, 200, 500, 200, 200]);
    }
  });

  test("counts only requests above a rate", async () => {
    setTime(0);
    expect(await getStatuses("rate=2/m, times=1, seed=1", Array(5).fill(getTarget(12)))).toEqual([
      200, 200, 429, 200, 200,
    ]);
  });

  test("counts each set of options separately", async () => {
    const statuses: number[] = [];
    for (const text of ["code=500, times=1", "code=500, times=1, fail=1", "CODE=500,times=1"])
      statuses.push(...(await getStatuses(text, [getTarget(11)])));
    expect(statuses).toEqual([500, 500, 200]);
  });
});
