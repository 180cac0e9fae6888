import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lastPage, pagePositions } from "../../src/records/page.ts";
import { BLOCK_SIZE, blocksOf } from "../../src/store/blocks.ts";

describe("blocks of a state", () => {
  test.each([
    { count: 1, first: 1, last: 1, keys: ["records/7/1-1"] },
    { count: 600, first: 586, last: 600, keys: ["records/7/1-600"] },
    { count: 601, first: 587, last: 601, keys: ["records/7/601-601", "records/7/1-600"] },
    { count: 1_500, first: 1, last: 15, keys: ["records/7/1-600"] },
    { count: 1_500, first: 595, last: 609, keys: ["records/7/601-1200", "records/7/1-600"] },
  ])("$first to $last of $count are in $keys", ({ count, first, last, keys }) => {
    expect(blocksOf({ version: 7, count }, first, last).map(({ key }) => key)).toEqual(keys);
  });

  test("a page lies in at most two, which hold all of it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, share) => {
          const page = Math.max(1, Math.ceil(share * lastPage(count)));
          const { first, last } = pagePositions(count, page);
          const blocks = blocksOf({ version: 7, count }, first, last);
          expect(blocks.length).toBeLessThanOrEqual(2);
          expect(blocks.at(0)!.last).toBeGreaterThanOrEqual(last);
          expect(blocks.at(-1)!.first).toBeLessThanOrEqual(first);
          for (const block of blocks) expect(block.last - block.first).toBeLessThan(BLOCK_SIZE);
        },
      ),
    );
  });
});
