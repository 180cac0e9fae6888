import fc from "fast-check";
import { expect, test } from "vitest";
import { LONGEST_LINE, readBlocks, splitLines } from "../../../data/sources/blocks.ts";
import { collect } from "./input.ts";

async function readLines(chunks: Iterable<Uint8Array>) {
  const blocks = await collect(readBlocks(iterate(chunks)));
  return blocks.flatMap((block) => [...splitLines(block)]);
}

async function* iterate(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

test("the lines of a text are the same however its bytes are cut", () => {
  // The decoder may drop a second byte order mark after the first.
  const unit = fc.constantFrom("a", "é", "€", "😀", "\n", "\r\n", "\ufeff");
  return fc.assert(
    fc.asyncProperty(
      fc.string({ unit }).filter((text) => !text.startsWith("\ufeff")),
      fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
      async (text, sizes) => {
        const chunks: Buffer[] = [];
        for (let rest = Buffer.from(`\ufeff${text}`); rest.length > 0; ) {
          const size = sizes.next().value;
          chunks.push(rest.subarray(0, size));
          rest = rest.subarray(size);
        }
        const lines = text.split(/(?<=\n)/).filter((line) => line !== "");
        expect(await readLines(chunks)).toEqual(lines.map((line, i) => ({ text: line, line: i + 1 })));
      },
    ),
  );
});

test("a line that is too long comes in parts with the number of the line", async () => {
  const long = Buffer.alloc(LONGEST_LINE / 2, "x");
  const blocks = await collect(
    readBlocks(iterate([Buffer.from("1\n"), long, long, long, long, Buffer.from("\n3")])),
  );
  expect(blocks.map(({ text, ...rest }) => ({ ...rest, length: text.length }))).toEqual([
    { line: 1, whole: true, length: 2 },
    { line: 2, whole: false, length: LONGEST_LINE * 1.5 },
    { line: 2, whole: true, length: LONGEST_LINE / 2 + 1 },
    { line: 3, whole: true, length: 1 },
  ]);
});

test.each([
  ["in the third line", [Buffer.from("a\nb\nc\xff\nd\n", "latin1")], 3],
  ["in the fourth line, in another chunk", [Buffer.from("a\nb\n\nc"), Buffer.from("\xe9\n", "latin1")], 4],
  ["a character cut by the end", [Buffer.from("a\nb"), Buffer.from("€").subarray(0, 2)], 2],
  ["UTF-16", [Buffer.from("\ufeffid,", "utf16le")], 1],
])("what is not UTF-8 is refused: %s", async (_, chunks, line) => {
  await expect(readLines(chunks)).rejects.toMatchObject({ message: "is not UTF-8 text", line });
});
