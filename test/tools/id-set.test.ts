import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createIdSet } from "../../tools/id-set.ts";

test("a set of ids behaves like a Set", () => {
  const id = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -50, max: 50 }), fc.constant(-0));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 3_000, size: "max" }), (ids) => {
      const expected = new Set<number>();
      const actual = createIdSet();
      for (const id of ids) {
        expect(actual.has(id)).toBe(expected.has(id));
        expect(actual.add(id)).toBe(!expected.has(id));
        expected.add(id);
      }
      for (const id of ids) expect(actual.has(id)).toBe(true);
    }),
    { numRuns: 30 },
  );
});
