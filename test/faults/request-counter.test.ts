import { describe, expect, test } from "vitest";
import { createCounter, getRequestKey } from "../../src/faults/request-counter.ts";
import { getLastValue } from "../../src/http/request.ts";
import { parsePageNumber } from "../../src/records/page.ts";

function getKey(text: string, method = "GET") {
  const query = new URLSearchParams(text);
  return getRequestKey({ method, query, number: parsePageNumber(getLastValue(query, "page")) }, "");
}

describe("the key of a request contains its method and its query", () => {
  test.each([
    [getKey("page=2"), getKey("page=3")],
    [getKey("a=1"), getKey("a=2")],
    [getKey(""), getKey("", "POST")],
  ])("%s is not %s", (one, other) => expect(one).not.toBe(other));

  test.each([
    ["page=2&format=api&y=2&z=1", "z=1&y=2&format=api&page=2"],
    ["page=2&prefer=fail=0.1,seed=4", "page=2"],
    ["page=3", "page=5&format=api&page=003"],
    ["", "format=json&page=1"],
  ])("%s has the key of %s", (one, other) => {
    expect(getKey(one)).toBe(getKey(other));
    expect(getKey(one, "HEAD")).toBe(getKey(other));
  });
});

test("the counter evicts the least recently used count when there are more than 10,000", () => {
  const { count } = createCounter();
  for (let index = 1; index <= 10_000; index++) count(`key ${index}`);
  expect(count("key 1")).toBe(2);
  count("new");
  expect([count("key 1"), count("new"), count("key 2")]).toEqual([3, 2, 1]);
});

test("the rules of a key are counted separately, in one of the 10,000 entries", () => {
  const { count } = createCounter();
  for (let index = 1; index <= 10_000; index++) {
    for (let rule = 0; rule < 5; rule++) count(`key ${index}`, rule);
  }
  expect([count("key 1", 0), count("key 1", 0), count("key 1", 4)]).toEqual([2, 3, 2]);
});
