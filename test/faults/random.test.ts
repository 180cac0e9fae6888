import { describe, expect, test } from "vitest";
import { OPTIONS } from "../../src/faults/option-table.ts";
import { createRandom, hashString } from "../../src/faults/random.ts";
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

test("random seeds, pages and purposes have different numbers, and without a seed requests do", () => {
  const seeded = listKeys(50).flatMap((key) => [createRandom(1, key), createRandom(2, key)]);
  const unseeded = Array(100).fill(createRandom(undefined, getKey("")));
  const numbers = [...seeded, ...unseeded].flatMap((random) => [random("fail"), random("delay")]);
  expect(new Set(numbers).size).toBe(400);
});

test("the hashes of 100,000 short keys differ, and each of their 53 bits is evenly distributed", () => {
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
