import { expect, test } from "vitest";
import { OPTIONS } from "../../src/faults/option-table.ts";
import { createState } from "../../src/faults/state.ts";

test("the least recently used count is forgotten when there are more than 10,000, and every count by a reset", () => {
  const { countRequest, reset } = createState();
  const add = (key: string) => countRequest(key).count;
  for (let index = 1; index <= 10_000; index++) add(`key ${index}`);
  expect([add("key 1"), add("new"), add("key 1"), add("key 2")]).toEqual([2, 1, 3, 1]);
  reset(0);
  expect(add("key 1")).toBe(1);
});

test.each([
  [400, "20/s", 0, 199],
  [400, "20/s", 9.95, 0],
  [400, "20/s", 10, 199],
  [400, "20/s", -5, 199],
  [400, "1/h", -100_000, 23],
  [400, "1/h", 0, 23],
  [400, "1/h", 23 * 3_600, 0],
  [400, "1/h", 24 * 3_600, 23],
  [4, "1/s", 0, 1],
  [3, "1/s", 0, 0],
  [0, "1/s", 0, 0],
])("of %i records, grow=%s after %d s hides %i, also since a reset", (total, text, seconds, hidden) => {
  const { countHidden, reset } = createState();
  const growth = OPTIONS.grow.parse(text)!;
  expect(countHidden(growth, { total, now: seconds * 1_000 })).toBe(hidden);
  reset(7_777);
  expect(countHidden(growth, { total, now: 7_777 + seconds * 1_000 })).toBe(hidden);
});

test("the growth begins anew if a test turns back its clock", () => {
  const { countHidden, reset } = createState();
  const hide = (minute: number) =>
    countHidden({ records: 15, per: "m" }, { total: 3_000, now: minute * 60_000 });
  reset(1_000 * 60_000);
  expect([1_001, 100, 101, 90].map(hide)).toEqual([1_484, 1_499, 1_484, 1_499]);
});
