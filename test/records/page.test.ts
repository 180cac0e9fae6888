import { expect, test } from "vitest";
import { locatePage } from "../../src/records/page.ts";

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
    expect(locatePage("last", total, hidden)?.number).toBe(pages);
    expect(locatePage(pages + 1, total, hidden)).toBeUndefined();
  },
);
