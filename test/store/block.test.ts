import { expect, test } from "vitest";
import { BLOCK_SIZE, decodeRange, parseBlock } from "../../src/store/block.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import {
  encodeStatistics,
  NO_STATISTICS,
  readStatistics,
  type Statistics,
} from "../../src/store/stored-statistics.ts";
import { generateRecords } from "../../tools/data/generator.ts";
import { encodeBlocks } from "../records/sample.ts";
import { makeSnapshot } from "./controlled-store.ts";
import { makeNewestFirst } from "./reader.ts";
import { loadRecords, openLocalStores } from "./stores.ts";

const RECORDS = makeNewestFirst(2 * BLOCK_SIZE + 20);
const [FIRST = "", , LAST = ""] = encodeBlocks(RECORDS).map(({ text }) => text);

const [line = ""] = LAST.split("\n").slice(1);
test.each([
  ["[1,2]", "is not a record"],
  ["{}", "is not a record"],
  [line.replace("],", ",0]"), "is not a record"],
  [line.slice(0, -2), "in JSON"],
])("rejects the damaged line %j", (text, message) => {
  const lines = parseBlock(1, 1, `[\n${text}\n]`);
  expect(() => decodeRange({ first: 1, last: 1 }, [lines])).toThrow(message);
});

test.each([
  [1, "", "is damaged: it is not a JSON array"],
  [1, "[]", "is damaged: it is not a JSON array"],
  [1, FIRST.slice(0, -1), "is damaged: it is not a JSON array"],
  [1, FIRST.slice(1), "is damaged: it is not a JSON array"],
  [1, LAST, "is damaged: it contains 20 of 195 records"],
  [3, FIRST, "is damaged: it contains 195 of 20 records"],
  [1, FIRST.replace("\n[", "\n[1],\n["), "is damaged: it contains 196 of 195 records"],
])("rejects the damaged block %i: %j", (number, text, message) => {
  const parse = () => parseBlock(RECORDS.length, number, text);
  expect(parse).toThrow(`Block ${number} ${message}`);
});

// Recent records have longer lines: `camera_ok` is a string, and ids have more digits.
test.each(["2019-05-01", "2026-05-01"])("blocks of records from %s nearly fill SQLite pages", async (day) => {
  const from = new Date(day);
  const to = new Date(from.getTime() + 5 * 86_400_000);
  const { database, open } = await openLocalStores();
  await loadRecords(open("d1"), [...generateRecords({ from, to })].toReversed());
  const sql =
    "SELECT sum(length(text)) / (SELECT 4096.0 * page_count FROM pragma_page_count) AS share FROM block";
  const [row] = await database.query(sql, [], "first-primary");
  expect(Number(row?.share)).toBeGreaterThan(0.88);
});

test("statistics of several pieces stay the same, even if a piece ends with a space", async () => {
  const sources = Array(5_000).fill(`a${" ".repeat(97)}\né'`);
  const statistics: Statistics = { ...NO_STATISTICS, sources };
  const pieces = encodeStatistics(statistics);
  expect(pieces.filter(({ text }) => text.endsWith(" \n")).length).toBeGreaterThan(1);
  const snapshot = makeSnapshot(0);
  expect(await readStatistics(createMemoryStore(snapshot, pieces), snapshot)).toEqual(statistics);
});
