import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lastPage, locatePage, pageUrls, parsePageNumber } from "../../src/records/page.ts";

describe("the page parameter", () => {
  test.each([
    [null, 1],
    ["", 1],
    ["1", 1],
    ["2", 2],
    ["007", 7],
    ["last", "last"],
    ["600479950316066", 600479950316066],
    ["600479950316067", undefined],
    ["99999999999999999999999999", undefined],
    ["0", undefined],
    ["-1", undefined],
    ["+1", undefined],
    ["1.5", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["abc", undefined],
    ["Last", undefined],
    ["2\0", undefined],
    [" 2", undefined],
    ["2\n", undefined],
    ["٢", undefined],
  ])("%j -> %j", (text, page) => expect(parsePageNumber(text)).toBe(page));
});

describe("pages of a collection", () => {
  test.each([
    { count: 0, page: 1, first: 1, last: 0, pages: 1 },
    { count: 1, page: 1, first: 1, last: 1, pages: 1 },
    { count: 15, page: 1, first: 1, last: 15, pages: 1 },
    { count: 16, page: 1, first: 2, last: 16, pages: 2 },
    { count: 16, page: 2, first: 1, last: 1, pages: 2 },
    { count: 100, page: 4, first: 41, last: 55, pages: 7 },
  ])("page $page of $count records is positions $first to $last", ({ count, page, first, last, pages }) => {
    const [next, previous] = [page < pages ? page + 1 : null, page > 1 ? page - 1 : null];
    expect(locatePage(count, page)).toEqual({ number: page, count, first, last, next, previous });
    expect(lastPage(count)).toBe(pages);
  });

  test("following next visits each position once, newest first, and ends", () => {
    fc.assert(
      fc.property(fc.nat(2_000), (count) => {
        const visited: number[] = [];
        for (let page: number | null = 1; page !== null; page = locatePage(count, page).next) {
          expect(page, "the walk ends").toBeLessThanOrEqual(lastPage(count));
          const { first, last } = locatePage(count, page);
          for (let position = last; position >= first; position--) visited.push(position);
        }
        expect(visited).toEqual(Array.from({ length: count }, (_, index) => count - index));
      }),
    );
  });

  test("previous of next is the page itself", () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.integer({ min: 1, max: 1_000_000 }), (count, page) => {
        const { next } = locatePage(count, page);
        if (next !== null) expect(locatePage(count, next).previous).toBe(page);
      }),
    );
  });
});

describe("the URL of a page", () => {
  const collection = "https://counts.example:8443/api/tf1/records/";
  test.each([
    ["", 1, "?format=api&page=1"],
    ["page=7", 8, "?format=api&page=8"],
    ["format=api&page=7", 8, "?format=api&page=8"],
    ["format=json", 2, "?format=json&page=2"],
    ["format=&page=", 2, "?format=api&page=2"],
    ["format=json&format=api", 2, "?format=api&page=2"],
    ["zoo=1&page=3&page=4&a=2&a=1", 5, "?a=2&a=1&format=api&page=5&zoo=1"],
    ["q=a%20b%26c&empty", 2, "?empty=&format=api&page=2&q=a+b%26c"],
  ])("%j, page %i -> %s", (query, page, expected) =>
    expect(pageUrls(collection, new URLSearchParams(query))(page)).toBe(collection + expected),
  );
});
