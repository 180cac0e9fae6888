import * as fc from "fast-check";
import { expect, test } from "vitest";
import { locatePage } from "../../../../src/records/page.ts";
import { pageNumberAt } from "../../../../tools/data/crawl/page-queue.ts";

test("pageNumberAt returns the number of the page that contains the position", () => {
  const collection = fc.integer({ min: 1, max: 10_000_000 });
  fc.assert(
    fc.property(collection, collection, (count, number) => {
      const position = ((number - 1) % count) + 1;
      const { first, last } = locatePage(count, pageNumberAt(position, count, 15));
      expect(first <= position && position <= last).toBe(true);
    }),
  );
});
