import { expect, test } from "vitest";
import { BLOCK_SIZE, blocksOf, ContentError, decodeRange, openBlock } from "../../src/store/block.ts";
import { encodeBlocks } from "../records/sample.ts";
import { makeNewestFirst } from "./reader.ts";

const RECORDS = makeNewestFirst(2 * BLOCK_SIZE + 20);
const BLOCKS = encodeBlocks(RECORDS);
const [FIRST, , LAST] = BLOCKS as [(typeof BLOCKS)[0], unknown, (typeof BLOCKS)[0]];

test.each([0, 1, 149, 150, 151, 300, 320])("%i records are arranged in blocks, newest first", (count) => {
  const blocks = encodeBlocks(RECORDS.slice(0, count));
  expect(blocks.map(({ number }) => number)).toEqual(blocks.map((_, index) => index + 1));
  expect(blocks).toHaveLength(Math.ceil(count / BLOCK_SIZE));
  const opened = blocks.map((block) => openBlock(block, count));
  const records = decodeRange({ first: 1, last: count }, (number) => opened[number - 1]!);
  expect(records).toEqual(RECORDS.slice(0, count));
});

test.each([
  [1, 0, []],
  [1, 1, [1]],
  [150, 151, [1, 2]],
  [151, 300, [2]],
  [140, 460, [1, 2, 3, 4]],
])("the places %i to %i lie in the blocks %j", (first, last, numbers) =>
  expect(blocksOf({ first, last })).toEqual(numbers),
);

const [line = ""] = LAST.text.split("\n").slice(1);
test.each([
  ["[1,2]", "is not a record"],
  ["{}", "is not a record"],
  [line.replace("],", ",0]"), "is not a record"],
  [line.slice(0, -2), "is not JSON"],
])("the line %j is an error", (text, message) => {
  const lines = openBlock({ number: 1, text: `[\n${text}\n]` }, 1);
  expect(() => decodeRange({ first: 1, last: 1 }, () => lines)).toThrow(message);
});

test.each([
  [1, "", "it is not a JSON array"],
  [1, "[]", "it is not a JSON array"],
  [1, FIRST.text.slice(0, -1), "it is not a JSON array"],
  [1, FIRST.text.slice(1), "it is not a JSON array"],
  [1, LAST.text, "it holds 20 of 150 records"],
  [3, FIRST.text, "it holds 150 of 20 records"],
  [1, FIRST.text.replace("\n[", "\n[1],\n["), "it holds 151 of 150 records"],
])("a damaged block %i is an error of content", (number, text, message) => {
  const open = () => openBlock({ number, text }, RECORDS.length);
  expect(open).toThrow(`Block ${number} is damaged: ${message}`);
  expect(open).toThrow(ContentError);
});
