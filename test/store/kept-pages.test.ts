import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keepPages } from "../../src/store/kept-pages.ts";

const state = { version: 1, count: 1_000 };
const makePage = (number: number, characters: number) => ({
  state,
  current: state,
  number,
  results: "x".repeat(characters),
});

describe("kept pages", () => {
  test("go when they are too many, those asked for longest ago first", () => {
    const kept = keepPages(60);
    for (const number of [1, 2, 3]) kept.put(makePage(number, 10));
    kept.get(state.count, 1);
    kept.put(makePage(4, 10));
    expect([1, 2, 3, 4].filter((number) => kept.get(state.count, number))).toEqual([1, 3, 4]);
  });

  test("of one number are one for each state", () => {
    const kept = keepPages(60);
    kept.put(makePage(1, 10));
    const grown = { version: 1, count: 1_001 };
    kept.put({ state: grown, current: grown, number: 1, results: "[]" });
    expect(kept.get(1_000, 1)?.state).toEqual(state);
    expect(kept.get(1_001, 1)?.state).toEqual(grown);
    expect(kept.get(1_002, 1)).toBeUndefined();
  });

  test("a page kept again replaces itself", () => {
    const kept = keepPages(60);
    for (let time = 0; time < 10; time++) kept.put(makePage(1, 10));
    kept.put(makePage(2, 10));
    kept.put(makePage(3, 10));
    expect([1, 2, 3].filter((number) => kept.get(state.count, number))).toEqual([1, 2, 3]);
  });

  test("never take more bytes than they may", () => {
    const puts = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.nat(50)));
    fc.assert(
      fc.property(puts, fc.nat(400), (pages, most) => {
        const kept = keepPages(most);
        for (const [number, characters] of pages) kept.put(makePage(number, characters));
        const sizes = Array.from(
          { length: 21 },
          (_, number) => 2 * (kept.get(state.count, number)?.results.length ?? 0),
        );
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(most);
      }),
    );
  });
});
