import { describe, expect, test } from "vitest";
import { createRandom } from "../../src/faults/random.ts";
import { getPageKey } from "../../src/faults/request-counter.ts";

const getKey = (number: number) => getPageKey({ method: "GET", query: new URLSearchParams(), number });

test("without a seed, two requests for the same page get different numbers", () => {
  const numbers = [1, 2, 3, 4].map(() => createRandom(undefined, getKey(2))("fail"));
  expect(new Set(numbers).size).toBe(numbers.length);
});

describe("with a seed", () => {
  test("the numbers never change between versions, so that tests can be repeated", () => {
    const random = createRandom(4, getKey(2));
    expect([random("fail"), random("delay")]).toEqual([0.9396864174551415, 0.21648012507014514]);
  });

  test("the given share of pages fails", () => {
    const pages = Array.from({ length: 2_000 }, (_, index) => getKey(index + 1));
    const failing = pages.filter((page) => createRandom(1, page)("fail") < 0.1);
    // The standard deviation is 13. The limit is five standard deviations.
    expect(Math.abs(failing.length - 200)).toBeLessThan(67);
  });
});
