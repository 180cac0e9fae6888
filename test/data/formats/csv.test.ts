import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readCsvRows } from "../../../data/formats/csv.ts";
import { readText } from "../../../data/formats/input-file.ts";
import { collect, cutBytes, FIELDS, readProblems } from "./read-input.ts";

async function readCells(text: string, size: number) {
  return (await collect(readCsvRows(readText(Readable.from(cutBytes(text, size)))))).flat();
}

const cell = fc.string({ unit: fc.constantFrom("a", "é", ",", '"', "\n", "\r", "\r\n", " ") });
const row = fc.record({
  cells: fc.array(cell, { minLength: 2, maxLength: 4 }),
  end: fc.constantFrom("\n", "\r\n"),
  blankLines: fc.array(fc.constantFrom("\n", "\r\n"), { maxLength: 2 }),
});

test("reads the cells and the start line of each row, however the bytes are split into chunks", () =>
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

test("rows without quotes are read like those with quotes", () =>
  fc.assert(
    fc.asyncProperty(
      fc.stringMatching(/^([a,\r\n]|\r\n)*$/),
      fc.integer({ min: 1, max: 9 }),
      async (text, size) => {
        const [plain, quoted] = await Promise.all([
          readCells(`${text}\n`, size),
          readCells(`${text}\n"",""`, size),
        ]);
        expect(plain).toEqual(quoted.slice(0, -1));
      },
    ),
  ));

const QUOTE = "has a quote that is not closed, or inside a cell";
const LONG = "is too long for a row that ends with LF or CRLF";
const GOOD = "1,7,a33,2019-02-28T10:00:00Z,,1,0,0,0,0,0,tf1\n";

test.each([
  ["a quote that is not closed", `${GOOD}\n"2,7,a`, QUOTE],
  ["a quote that is not closed, in 3 MB", `${GOOD}\n"2\n${"x\n".repeat(1_500_000)}`, QUOTE],
  ["text after a quote", `${GOOD}\n"2"x,7`, QUOTE],
  ["a quote in the middle", `${GOOD}\n2"x",7`, QUOTE],
  ["a row of 3 MB", `${GOOD}\n2,7,${"x".repeat(3_000_000)}`, LONG],
])("stops at %s and reports the problems before it", async (_, text, message) => {
  const input = `${FIELDS}\n\n1,7,a33,"yester\r\nday",,1,0,0,0,0,0,tf1\n${text}`;
  expect(await readProblems(cutBytes(input))).toEqual([
    '-:3: timestamp "yester\\r\\nday" is not a date-time in UTC (YYYY-MM-DDThh:mm:ssZ)',
    `-:7: ${message}`,
  ]);
});
