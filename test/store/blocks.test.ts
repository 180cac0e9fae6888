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
  expect(blocks.map(({ first }) => first)).toEqual([1, 301]);
  expect(decodeLines(openBlock(BLOCK))).toEqual(RECORDS.slice(0, 300));
  expect(decodeLines(openTail(tail, RECORDS.length))).toEqual(RECORDS.slice(600));
  expect(openTail("", 2 * BLOCK_SIZE)).toHaveLength(0);
});

test("records that continue a tail make the same blocks as all records at once", () => {
  for (const count of [0, 1, 299, 300, 301, 599, 600]) {
    const before = encode(RECORDS.slice(0, count));
    const after = encode(RECORDS.slice(count), before.tail, countInBlocks(count) + 1);
    expect({ blocks: [...before.blocks, ...after.blocks], tail: after.tail }).toEqual({ blocks, tail });
  }
});

test.each([
  [1, 0, []],
  [1, 1, [1]],
  [300, 301, [1, 301]],
  [301, 600, [301]],
  [290, 910, [1, 301, 601, 901]],
])("the positions %i to %i lie in the blocks %j", (first, last, starts) =>
  expect(blockStarts({ first, last })).toEqual(starts),
);

test("the results of a page are its records, newest first", () => {
  const lines = [openBlock(BLOCK), openBlock(blocks[1]!)];
  const results = renderResults({ first: 293, last: 307 }, (start) => lines[start === 1 ? 0 : 1]!);
  expect(JSON.parse(results)).toEqual(RECORDS.slice(292, 307).reverse());
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
  [`[\n${tail}\n]`, "it holds 20 of 300 records"],
  [BLOCK.text.replace("\n[", "\n[1],\n["), "it holds 301 of 300 records"],
])("a damaged block is an error of content", (text, message) => {
  expect(() => openBlock({ first: 601, text })).toThrow(`The block at position 601 is damaged: ${message}`);
  expect(() => openBlock({ first: 601, text })).toThrow(ContentError);
});

test("a tail that does not match the count is an error", () =>
  expect(() => openTail(tail, 621)).toThrow("its tail holds 20 of 21 records"));
