import { expect, test } from "vitest";
import { decodeRecord, encodeBlocks, readLines, renderResults } from "../../src/store/blocks.ts";
import { makeRecords } from "../records/sample.ts";

const RECORDS = makeRecords(20);
const [BLOCK] = [...encodeBlocks(RECORDS)];
const LINES = readLines(BLOCK!, RECORDS.length);

test("the results of a page are its records, newest first", () => {
  const results = renderResults({ first: 3, last: 17 }, () => LINES);
  expect(JSON.parse(results)).toEqual(RECORDS.slice(2, 17).reverse());
});

test.each([
  [16, "The block at position 1 holds 16 records, 17 are needed"],
  [0, "The block at position 1 holds 0 records, 17 are needed"],
])("a block with %i records instead of 17 is an error", (length, message) =>
  expect(() => renderResults({ first: 3, last: 17 }, () => LINES.slice(0, length))).toThrow(message),
);

test.each([
  ["[1,2]", "is not a record"],
  ["{}", "is not a record"],
  [LINES[0]!.replace("]", ",0]"), "is not a record"],
  [LINES[0]!.slice(0, -1), "is not JSON"],
])("the line %j is an error", (line, message) => expect(() => decodeRecord(line)).toThrow(message));

test.each(["", "[]", BLOCK!.text.slice(0, -1), BLOCK!.text.slice(1)])(
  "a block whose text is damaged is an error",
  (text) =>
    expect(() => readLines({ first: 601, text }, 620)).toThrow("The block at position 601 is damaged"),
);
