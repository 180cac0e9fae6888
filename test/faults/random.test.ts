import { describe, expect, test } from "vitest";
import { OPTIONS } from "../../src/faults/option-table.ts";
import {
  createCounter,
  createRandom,
  getPageKey,
  getRequestKey,
  hashString,
} from "../../src/faults/random.ts";

const key = (query: string, method = "GET") => getRequestKey(method, new URLSearchParams(query));
const REQUEST = { method: "GET", now: 0, count: () => 1, getPage: async () => undefined };
const pages = (count: number) => Array.from({ length: count }, (_, index) => key(`page=${index + 1}`));

describe("the key of a request consists of its method and query", () => {
  test.each([
    [key("page=2"), key("page=3")],
    [key("a=1"), key("a=2")],
    [key(""), key("", "POST")],
  ])("%s is not %s", (one, other) => expect(one).not.toBe(other));

  test.each([
    ["page=2&format=api&z=1", "z=1&format=api&page=2"],
    ["page=2&prefer=fail=0.1,seed=4", "page=2"],
    ["page=3", "page=5&format=api&page=003&jump-date=2019-05-17"],
    ["", "format=json&page=1"],
  ])("%s has the key of %s", (one, other) => {
    expect(key(one)).toBe(key(other));
    expect(key(one, "HEAD")).toBe(key(other));
  });
});

describe("with a seed", () => {
  test("the numbers never change between versions, so that tests can be repeated", () => {
    const random = createRandom(4, getPageKey("GET", new URLSearchParams("run=a&page=002")));
    expect([random("fail"), random("delay")]).toEqual([0.9396864174551415, 0.21648012507014514]);
  });

  test("the given share of pages fails, and all of them at a higher rate", () => {
    const failing = (fail: number) =>
      pages(2_000).filter((page) =>
        OPTIONS.fail.allows?.(fail, { ...REQUEST, random: createRandom(1, page) }),
      );
    const [few, many] = [failing(0.1), failing(0.3)];
    // The standard deviation is 13. The limit is five standard deviations.
    expect(Math.abs(few.length - 200)).toBeLessThan(67);
    expect(many).toEqual(expect.arrayContaining(few));
  });
});

test("different seeds, pages and purposes get different numbers, and without a seed each request does", () => {
  const sources = [...pages(50).flatMap((page) => [createRandom(1, page), createRandom(2, page)])];
  const unseeded = Array(100).fill(createRandom(undefined, key("")));
  const numbers = [...sources, ...unseeded].flatMap((random) => [random("fail"), random("delay")]);
  expect(new Set(numbers).size).toBe(400);
});

test("the hashes of 100,000 short keys differ, and are evenly distributed in all of their 53 bits", () => {
  const KEYS = 100_000;
  const hashes = Array.from({ length: KEYS }, (_, index) =>
    hashString(String.fromCharCode(index & 0x3ff, index >>> 2)),
  );
  expect(new Set(hashes).size).toBe(KEYS);
  for (let bit = 0; bit < 53; bit++) {
    const ones = hashes.filter((hash) => Math.floor(hash / 2 ** bit) % 2 === 1).length;
    // The standard deviation is 158. The limit is five standard deviations.
    expect(Math.abs(ones - KEYS / 2), `bit ${bit}`).toBeLessThan(790);
  }
});

test.each([
  [0, 200],
  [0.5, 500],
  [1 - 2 ** -53, 800],
])("a delay is chosen from the whole range, both ends included: %d -> %i", (number, beforeMs) => {
  const wait = {};
  OPTIONS.delay.changeWait?.(wait, { min: 200, max: 800 }, () => number);
  expect(wait).toEqual({ beforeMs });
});

test("the counter forgets the key that was used longest ago if there are more than 10,000", () => {
  const { count } = createCounter();
  for (let index = 1; index <= 10_000; index++) count(`key ${index}`);
  expect(count("key 1")).toBe(2);
  count("new");
  expect([count("key 1"), count("new"), count("key 2")]).toEqual([3, 2, 1]);
});
