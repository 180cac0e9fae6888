import { expect, test } from "vitest";
import type { TrafficRecord } from "../../src/records/record.ts";
import { encodeBlocks, readLines } from "../../src/store/blocks.ts";
import { createMemory } from "../../src/store/memory.ts";
import { makeRecords } from "../records/sample.ts";
import { makeState } from "./controlled-store.ts";

const RECORDS = makeRecords(1_800);
const STATE = makeState(1_800);

/** Three blocks. */
const BLOCKS = new Map(
  [...encodeBlocks(RECORDS)].map((block) => [block.first, readLines(block, RECORDS.length)]),
);
const block = (start: number) => new Map([[start, BLOCKS.get(start) ?? []]]);

/** Pages that lie in the newest block, in the middle one and in the oldest one. */
const [NEWEST, MIDDLE, OLDEST] = [{ page: 1 }, { page: 60 }, { page: 110 }];
const pageOf = (page: number): TrafficRecord[] => RECORDS.toReversed().slice(15 * (page - 1), 15 * page);

test("pages of the blocks that are kept are found, and no others", () => {
  const memory = createMemory(1_000_000);
  memory.learn(STATE, 0);
  memory.keep(STATE, block(601));
  expect(JSON.parse(memory.findPage(MIDDLE)?.results ?? "")).toEqual(pageOf(60));
  expect([memory.findPage(NEWEST), memory.findPage(OLDEST)]).toEqual([undefined, undefined]);
});

test("blocks of another state are not kept", () => {
  const memory = createMemory(1_000_000);
  memory.learn(STATE, 0);
  memory.keep(makeState(1_800, { revision: "another" }), BLOCKS);
  expect(memory.findPage(MIDDLE)).toBeUndefined();
});

test("blocks of another version are dropped, even if it replaced the state that is kept", () => {
  const memory = createMemory(1_000_000);
  memory.learn(STATE, 0);
  memory.keep(STATE, BLOCKS);
  memory.learn(makeState(1_800, { version: 2, revision: "new", previous: STATE.revision }), 1);
  expect(memory.findPage(MIDDLE)).toBeUndefined();
});

test("without room, the block that was used longest ago is dropped", () => {
  // A block takes about 90 kB, and the results of a page 6 kB.
  const memory = createMemory(230_000);
  memory.learn(STATE, 0);
  memory.keep(STATE, block(1));
  memory.keep(STATE, block(601));
  expect(memory.findPage(OLDEST)).toBeDefined();
  memory.keep(STATE, block(1201));
  expect(memory.findPage({ page: 111 }), "used again").toBeDefined();
  expect(memory.findPage(MIDDLE), "used longest ago").toBeUndefined();
  expect(memory.findPage(NEWEST)).toBeDefined();
});
