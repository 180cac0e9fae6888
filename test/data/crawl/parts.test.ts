import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pageHolding } from "../../../data/crawl/pages.ts";
import { pagePositions } from "../../../src/records/page.ts";
import { nameCollection, parseCollection } from "../../../tools/http-client/address.ts";
import { createIdSet } from "../../../tools/http-client/id-set.ts";
import { parseRetryAfter } from "../../../tools/http-client/retry.ts";

describe("the address", () => {
  const COLLECTION = "https://counts.example/api/tf1/records/";
  test.each([
    ["https://counts.example", COLLECTION],
    ["https://counts.example/", COLLECTION],
    ["https://counts.example/api/tf1/records", COLLECTION],
    ["https://counts.example/api/tf1/records/", COLLECTION],
    ["https://counts.example/api/tf1/records/?format=api&page=7#top", `${COLLECTION}?format=api`],
    ["https://counts.example/api/tf1/records/?key=a%26b", `${COLLECTION}?key=a%26b`],
    ["http://LOCALHOST:80/old/api/tf1/records", "http://localhost/old/api/tf1/records/"],
  ])("%s is of %s", (text, expected) => {
    expect(nameCollection(parseCollection(text))).toBe(expected);
  });

  test.each([
    ["counts.example", "It must be a URL"],
    ["localhost:8787", "It must be http or https."],
    ["ftp://counts.example", "It must be http or https."],
    ["file:///api/tf1/records/", "It must be http or https."],
    ["https://me:secret@counts.example", "It must not contain a user name or a password."],
    ["https://counts.example/api/tf2/records/", "It must be a base address"],
    ["", "It must be a URL"],
  ])("%j is refused", (text, message) => {
    expect(() => parseCollection(text)).toThrow(message);
  });
});

test.each([
  ["0", 0],
  ["120", 120_000],
  ["Sun, 06 Nov 1994 08:50:37 GMT", 60_000],
  ["Sunday, 06-Nov-94 08:50:37 GMT", 60_000],
  ["Sun, 06 Nov 1994 08:40:37 GMT", 0],
  ["-5", undefined],
  ["1.5", undefined],
  ["soon", undefined],
  ["", undefined],
  [null, undefined],
])("Retry-After: %j is %j ms", (text, expected) => {
  expect(parseRetryAfter(text, Date.UTC(1994, 10, 6, 8, 49, 37))).toBe(expected);
});

test("a set of ids is a set", () => {
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

test("the page that holds a position is the one that the service has it on", () => {
  const collection = fc.integer({ min: 1, max: 10_000_000 });
  fc.assert(
    fc.property(collection, collection, (count, number) => {
      const position = ((number - 1) % count) + 1;
      const { first, last } = pagePositions(count, pageHolding(position, count, 15));
      expect(first <= position && position <= last).toBe(true);
    }),
  );
});
