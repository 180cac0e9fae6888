import { describe, expect, test } from "vitest";
import { OPTIONS } from "../../src/faults/option-table.ts";
import { createRandom } from "../../src/faults/random.ts";
import { getPageKey } from "../../src/faults/request-counter.ts";

const getKey = (query: string) => getPageKey("GET", new URLSearchParams(query));
const CONTEXT = { method: "GET", now: 0, count: () => 1, getPage: async () => undefined };
const listKeys = (count: number) => Array.from({ length: count }, (_, index) => getKey(`page=${index + 1}`));

describe("with a seed", () => {
  test("the numbers never change between versions, so that tests can be repeated", () => {
    const random = createRandom(4, getKey("run=a&page=002"));
    expect([random("fail"), random("delay")]).toEqual([0.9396864174551415, 0.21648012507014514]);
  });

  test("the given share of pages fails, and all of these pages fail at a higher rate", () => {
    const listFailing = (share: number) =>
      listKeys(2_000).filter((key) =>
        OPTIONS.fail.allows?.(share, { ...CONTEXT, random: createRandom(1, key) }),
      );
    const [few, many] = [listFailing(0.1), listFailing(0.3)];
    // The standard deviation is 13. The limit is five standard deviations.
    expect(Math.abs(few.length - 200)).toBeLessThan(67);
    expect(many).toEqual(expect.arrayContaining(few));
  });
});

test("without a seed, each number is different", () => {
  const random = createRandom(undefined, getKey(""));
  const numbers = Array.from({ length: 100 }, () => random("fail"));
  expect(new Set(numbers).size).toBe(100);
});
