import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lastValue, readQuery } from "../../src/http/query.ts";

describe("the query of a request", () => {
  test.each([
    ["http://localhost/api/", []],
    ["http://localhost/api/?", []],
    [
      "http://localhost/?page=1&page=2",
      [
        ["page", "1"],
        ["page", "2"],
      ],
    ],
    ["http://localhost/?a=?b=1", [["a", "?b=1"]]],
    ["http://localhost/??page=1", [["?page", "1"]]],
    ["http://localhost/?p%61ge=%32+", [["page", "2 "]]],
  ])("%s", (requested, parameters) => expect([...readQuery(requested)]).toEqual(parameters));

  test("is what a parser of URLs finds", () => {
    const url = fc.webUrl({ withQueryParameters: true });
    const check = (requested: string) => {
      expect([...readQuery(requested)]).toEqual([...new URL(requested).searchParams]);
    };
    fc.assert(fc.property(url, check));
  });
});

test.each([
  ["", null],
  ["page=1", "1"],
  ["page=1&page=", ""],
  ["page=1&format=json&page=2", "2"],
])("the value of page in %j is %j", (query, value) =>
  expect(lastValue(new URLSearchParams(query), "page")).toBe(value),
);
