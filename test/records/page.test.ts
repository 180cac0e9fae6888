import { describe, expect, test } from "vitest";
import { lastPage, locatePage, pageUrls, parsePageNumber } from "../../src/records/page.ts";

describe("the page parameter", () => {
  test.each([
    [null, 1],
    ["", 1],
    ["007", 7],
    ["last", "last"],
    ["600479950316066", 600479950316066],
    ["600479950316067", undefined],
    ["0", undefined],
    ["-1", undefined],
    ["+1", undefined],
    ["1.5", undefined],
    ["abc", undefined],
    ["Last", undefined],
    ["2\0", undefined],
    [" 2", undefined],
    ["٢", undefined],
  ])("%j -> %j", (text, page) => expect(parsePageNumber(text)).toBe(page));
});

describe("pages of a collection", () => {
  test.each([
    { total: 0, hidden: 0, page: 1, first: 1, last: 0, pages: 1 },
    { total: 15, hidden: 0, page: 1, first: 1, last: 15, pages: 1 },
    { total: 16, hidden: 0, page: 1, first: 1, last: 15, pages: 2 },
    { total: 16, hidden: 0, page: 2, first: 16, last: 16, pages: 2 },
    { total: 100, hidden: 0, page: 4, first: 46, last: 60, pages: 7 },
    { total: 100, hidden: 7, page: 1, first: 8, last: 22, pages: 7 },
    { total: 100, hidden: 10, page: 6, first: 86, last: 100, pages: 6 },
    { total: 100, hidden: 100, page: 1, first: 101, last: 100, pages: 1 },
  ])(
    "page $page of $total records, $hidden hidden, has the places $first to $last",
    ({ total, hidden, page, first, last, pages }) => {
      const [next, previous] = [page < pages ? page + 1 : null, page > 1 ? page - 1 : null];
      const location = { number: page, pages, count: total - hidden, first, last, next, previous };
      expect(locatePage(page, total, hidden)).toEqual(location);
      expect(lastPage(total - hidden)).toBe(pages);
      expect(locatePage("last", total, hidden)?.number).toBe(pages);
      expect(locatePage(pages + 1, total, hidden)).toBeUndefined();
    },
  );
});

describe("the URL of a page", () => {
  const collection = "https://counts.example:8443/api/tf1/records/";
  test.each([
    ["", 1, "?format=api&page=1"],
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
