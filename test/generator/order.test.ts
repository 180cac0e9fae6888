import { describe, expect, test } from "vitest";
import { cameras } from "../../src/generator/cameras.ts";
import { orderOf, rankIn } from "../../src/generator/order.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("rankIn", () => {
  test.each([1, 2, 3, 6, 86, 100])("gives each of %d cameras a rank of its own in every slot", (count) => {
    const order = orderOf(count, 1);
    for (const slot of numbers(20)) {
      const ranks = cameras(count, 1).map((camera) => rankIn(order, slot, camera));
      expect(ranks.sort((a, b) => a - b)).toEqual(numbers(count));
    }
  });
});
