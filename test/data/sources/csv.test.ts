import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readBlocks } from "../../../data/sources/blocks.ts";
import { readCsv } from "../../../data/sources/csv.ts";
import { collect, cutBytes, FIELDS, readProblems } from "./input.ts";

async function readCells(text: string, size: number) {
  return collect(readCsv(readBlocks(Readable.from(cutBytes(text, size)))));
}

const cell = fc.string({ unit: fc.constantFrom("a", "é", ",", '"', "\n", "\r", "\r\n", " ") });
const row = fc.record({
  cells: fc.array(cell, { minLength: 2, maxLength: 4 }),
  end: fc.constantFrom("\n", "\r\n"),
  blankLines: fc.array(fc.constantFrom("\n", "\r\n"), { maxLength: 2 }),
});

test("rows have their cells and the line where they begin, however their bytes are cut", () =>
  fc.assert(
    fc.asyncProperty(fc.array(row), fc.integer({ min: 1, max: 40 }), async (rows, size) => {
      let text = "";
      const expected = rows.map(({ cells, end, blankLines }) => {
        text += blankLines.join("");
        const line = text.split("\n").length;
        text += cells.map((value) => `"${value.replaceAll('"', '""')}"`).join(",") + end;
        return { cells, line };
      });
      expect(await readCells(text, size)).toEqual(expected);
    }),
  ));

const GOOD = "1,7,a33,2019-02-28T10:00:00Z,,1,0,0,0,0,0,tf1\n";

test.each([
  ["a quote that is not closed", `${GOOD}\n"2,7,a`, "opens a quote that is not closed"],
  [
    "a quote that is not closed, and 3 MB",
    `${GOOD}\n"2\n${"x\n".repeat(1_500_000)}`,
    "opens a quote that is not closed",
  ],
  ["text after a quote", `${GOOD}\n"2"x,7`, "has text between a closing quote and the end of the cell"],
  [
    "a quote in the middle",
    `${GOOD}\n2"x",7`,
    "has a quote in the middle of a cell that does not begin with one",
  ],
  ["a row of 3 MB", `${GOOD}\n2,7,${"x".repeat(3_000_000)}`, "is too long for a row"],
])("%s ends the file, and what is wrong before is told", async (_, text, message) => {
  const input = `${FIELDS}\n\n1,7,a33,"yester\r\nday",,1,0,0,0,0,0,tf1\n${text}`;
  expect(await readProblems(cutBytes(input))).toEqual([
    '-:3: timestamp: "yester\\r\\nday" is not a date-time in UTC (YYYY-MM-DDThh:mm:ssZ)',
    `-:7: ${message}`,
  ]);
});
