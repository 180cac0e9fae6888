import { expect, test } from "vitest";
import {
  BLOCK_SIZE,
  blockStarts,
  ContentError,
  countInBlocks,
  decodeLines,
  encodeBlocks,
  openBlock,
  openTail,
  renderResults,
} from "../../src/store/blocks.ts";
import { makeRecords } from "../records/sample.ts";

const RECORDS = makeRecords(2 * BLOCK_SIZE + 20);

/** All blocks of an encoding, and the tail that they leave. */
function encode(...parameters: Parameters<typeof encodeBlocks>) {
  const blocks = encodeBlocks(...parameters);
  const all = [];
  for (let next = blocks.next(); ; next = blocks.next()) {
    if (next.done) return { blocks: all, tail: next.value };
    all.push(next.value);
  }
}
const { blocks, tail } = encode(RECORDS);
const BLOCK = blocks[0]!;

test("records fill blocks, and the rest is the tail", () => {
  expect(blocks.map(({ first }) => first)).toEqual([1, BLOCK_SIZE + 1]);
  expect(decodeLines(openBlock(BLOCK))).toEqual(RECORDS.slice(0, BLOCK_SIZE));
  expect(decodeLines(openTail(tail, RECORDS.length))).toEqual(RECORDS.slice(2 * BLOCK_SIZE));
  expect(openTail("", 2 * BLOCK_SIZE)).toHaveLength(0);
});

test("records that continue a tail make the same blocks as all records at once", () => {
  for (const count of [0, 1, 149, 150, 151, 299, 300]) {
    const before = encode(RECORDS.slice(0, count));
    const after = encode(RECORDS.slice(count), before.tail, countInBlocks(count) + 1);
    expect({ blocks: [...before.blocks, ...after.blocks], tail: after.tail }).toEqual({ blocks, tail });
  }
});

test.each([
  [1, 0, []],
  [1, 1, [1]],
  [150, 151, [1, 151]],
  [151, 300, [151]],
  [140, 460, [1, 151, 301, 451]],
])("the positions %i to %i lie in the blocks %j", (first, last, starts) =>
  expect(blockStarts({ first, last })).toEqual(starts),
);

test("the results of a page are its records, newest first", () => {
  const lines = [openBlock(BLOCK), openBlock(blocks[1]!)];
  const results = renderResults({ first: 143, last: 157 }, (start) => lines[start === 1 ? 0 : 1]!);
  expect(JSON.parse(results)).toEqual(RECORDS.slice(142, 157).reverse());
});

const [line = ""] = tail.split(",\n");
test.each([
  ["[1,2]", "is not a record"],
  ["{}", "is not a record"],
  [line.replace("]", ",0]"), "is not a record"],
  [line.slice(0, -1), "is not JSON"],
])("the line %j is an error", (text, message) =>
  expect(() => decodeLines(openTail(text, 1))).toThrow(message),
);

test.each([
  ["", "it is not a JSON array"],
  ["[]", "it is not a JSON array"],
  [BLOCK.text.slice(0, -1), "it is not a JSON array"],
  [BLOCK.text.slice(1), "it is not a JSON array"],
  [`[\n${tail}\n]`, "it holds 20 of 150 records"],
  [BLOCK.text.replace("\n[", "\n[1],\n["), "it holds 151 of 150 records"],
])("a damaged block is an error of content", (text, message) => {
  expect(() => openBlock({ first: 301, text })).toThrow(`The block at position 301 is damaged: ${message}`);
  expect(() => openBlock({ first: 301, text })).toThrow(ContentError);
});

test("a tail that does not match the count is an error", () =>
  expect(() => openTail(tail, RECORDS.length + 1)).toThrow("its tail holds 20 of 21 records"));
