import { expect, test } from "vitest";
import { BLOCK_SIZE, decodeRange, parseBlock } from "../../src/store/block.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { encodeStatistics, NO_STATISTICS, readStatistics } from "../../src/store/stored-statistics.ts";
import { encodeBlocks } from "../records/sample.ts";
import { makeSnapshot } from "./controlled-store.ts";
import { makeNewestFirst } from "./reader.ts";

const RECORDS = makeNewestFirst(2 * BLOCK_SIZE + 20);
const [FIRST = "", , LAST = ""] = encodeBlocks(RECORDS).map(({ text }) => text);

const [line = ""] = LAST.split("\n").slice(1);
test.each([
  { name: "too few values", text: "[1,2]" },
  { name: "too many values", text: line.replace("],", ",0]") },
  { name: "an object", text: "{}" },
  { name: "a cut value", text: line.slice(0, -2) },
])("a line with $name is never served", ({ text }) => {
  const lines = parseBlock(1, 1, `[\n${text}\n]`);
  expect(() => decodeRange({ first: 1, last: 1 }, [lines])).toThrow();
});

test.each([
  { name: "without content", number: 1, text: "" },
  { name: "without lines", number: 1, text: "[]" },
  { name: "without its end", number: 1, text: FIRST.slice(0, -1) },
  { name: "without its start", number: 1, text: FIRST.slice(1) },
  { name: "with too few records", number: 1, text: LAST },
  { name: "of a longer snapshot", number: 3, text: FIRST },
  { name: "with an additional record", number: 1, text: FIRST.replace("\n[", "\n[1],\n[") },
])("a block $name is damaged", ({ number, text }) => {
  expect(() => parseBlock(RECORDS.length, number, text)).toThrow(`Block ${number} is damaged`);
});

test("statistics of several pieces stay the same, even if a piece ends with a space", async () => {
  const statistics = { ...NO_STATISTICS, sources: Array(5_000).fill(`a${" ".repeat(97)}\né'`) };
  const pieces = encodeStatistics(statistics);
  expect(pieces.filter(({ text }) => text.endsWith(" \n")).length).toBeGreaterThan(1);
  const snapshot = makeSnapshot(0);
  expect(await readStatistics(createMemoryStore(snapshot, pieces), snapshot)).toEqual(statistics);
});
