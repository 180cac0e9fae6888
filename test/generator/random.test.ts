import { describe, expect, test } from "vitest";
import { hash, integer, poisson, uniform } from "../../src/generator/random.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("hash", () => {
  test("gives 32-bit integers that differ between keys and parts", () => {
    const keys = numbers(200).flatMap((key) => numbers(200).map((part) => hash(key, part)));
    expect(keys.filter((key) => !Number.isInteger(key) || key < 0 || key >= 2 ** 32)).toEqual([]);
    expect(new Set(keys).size).toBeGreaterThan(40_000 - 5);
  });

  test("is the same on every machine", () => {
    expect([hash(0, 0), hash(1, 2), hash(2 ** 32 - 1, 5)]).toMatchInlineSnapshot(`
      [
        1270938603,
        482910834,
        3287364280,
      ]
    `);
  });
});

describe("uniform and integer", () => {
  test("are evenly distributed over parts", () => {
    const shares = numbers(10_000).map((part) => uniform(3, part));
    expect(mean(shares)).toBeCloseTo(0.5, 1);
    expect(Math.min(...shares)).toBeLessThan(0.001);
    expect(Math.max(...shares)).toBeGreaterThan(0.999);
    expect(new Set(numbers(100).map((part) => integer(6, 3, part)))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
  });
});

describe("poisson", () => {
  test.each([
    [0, 0.999, 0],
    [1, 0, 0],
    [1, 0.36, 0],
    [1, 0.37, 1],
    [1, 0.74, 2],
    [20, 0.5, 20],
  ])("of mean %d at quantile %d is %d", (mean, quantile, count) => {
    expect(poisson(mean, quantile)).toBe(count);
  });

  test.each([0.1, 3, 20, 100])(
    "of mean %d has that mean, and a bounded count at the largest quantile",
    (expected) => {
      const counts = numbers(20_000).map((part) => poisson(expected, uniform(9, part)));
      expect(mean(counts) / expected).toBeCloseTo(1, 1);
      expect(poisson(expected, 1 - 2 ** -32)).toBeLessThan(expected + 10 * Math.sqrt(expected) + 10);
    },
  );
});
