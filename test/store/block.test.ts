import { describe, expect, test, vi } from "vitest";
import { BLOCK_SIZE, type Block, decodeRange, parseBlock } from "../../src/store/block.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { encodeStatistics, NO_STATISTICS, readStatistics } from "../../src/store/stored-statistics.ts";
import { makeSnapshot } from "../support/controlled-store.ts";
import { makeNewestFirst } from "../support/reader.ts";
import { encodeBlocks } from "../support/sample-records.ts";

const RECORDS = makeNewestFirst(2 * BLOCK_SIZE + 20);
const [FIRST = "", , LAST = ""] = encodeBlocks(RECORDS).map(({ text }) => text);

const [line = ""] = LAST.split("\n").slice(1);
test.each([
  { name: "too few values", text: "[1,2]" },
  { name: "too many values", text: line.replace("],", ",0]") },
  { name: "an object", text: "{}" },
  { name: "a cut value", text: line.slice(0, -2) },
])("a line with $name is never served", ({ text }) => {
  const lines = parseBlock({ number: 1, text: `[\n${text}\n]` }, 1);
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
  expect(() => parseBlock({ number, text }, RECORDS.length)).toThrow(`Block ${number} is damaged`);
});

describe("statistics of several blocks", () => {
  const statistics = { ...NO_STATISTICS, sources: Array(5_000).fill(`a${" ".repeat(97)}\né'`) };
  const blocks = encodeStatistics(statistics);
  const snapshot = makeSnapshot(0);

  /** Reads the statistics of these blocks. Also returns the numbers of the blocks of each read. */
  async function read(blocks: Block[]) {
    const store = createMemoryStore(snapshot, blocks);
    const { mock } = vi.spyOn(store, "readBlocks");
    const statistics = await readStatistics(store, snapshot);
    return { statistics, reads: mock.calls.map(([, numbers]) => numbers) };
  }

  test("are what was encoded, and are read together after the first block", async () => {
    const [first, ...others] = blocks.map(({ number }) => number);
    expect(others.length).toBeGreaterThan(1);
    expect(await read(blocks)).toEqual({ statistics, reads: [[first], others] });
  });

  test("are one read if they are one block", async () => {
    expect(await read(encodeStatistics(NO_STATISTICS))).toEqual({ statistics: NO_STATISTICS, reads: [[0]] });
  });

  test.each(blocks)("are missing if block $number is missing", async ({ number }) => {
    const others = blocks.filter((block) => block.number !== number);
    await expect(read(others)).rejects.toThrow(`Block ${number} of snapshot ${snapshot.id} is missing`);
  });

  test("are damaged if the first block does not say how many there are", async () => {
    const damaged = [{ number: 0, text: JSON.stringify(NO_STATISTICS) }];
    await expect(read(damaged)).rejects.toThrow("The statistics of snapshot of-0 are damaged.");
  });
});
