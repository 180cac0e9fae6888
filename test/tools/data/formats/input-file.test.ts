import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeText, readBytes } from "../../../../tools/data/formats/input-file.ts";
import { createFolder } from "../../../support/temporary-folder.ts";
import { cutBytes, replaceStandardInput } from "../input.ts";

const TEXT = "one\ntwo\n".repeat(20_000);
const ZIPPED = gzipSync(TEXT);

async function readAll(file: string, stdin: Readable): Promise<string> {
  replaceStandardInput(stdin);
  return Buffer.concat(await Array.fromAsync(readBytes({ file }))).toString();
}

const contents: [string, Buffer, string][] = [
  ["plain text", Buffer.from(TEXT), TEXT],
  ["gzip", ZIPPED, TEXT],
  ["gzip of several members", Buffer.concat([ZIPPED, gzipSync("three\n"), ZIPPED]), `${TEXT}three\n${TEXT}`],
  ["gzip followed by zeros, as on a tape", Buffer.concat([ZIPPED, Buffer.alloc(200_000)]), TEXT],
  ["an empty file", Buffer.alloc(0), ""],
  ["one byte", Buffer.from("x"), "x"],
  ["only the first byte of gzip", Buffer.from([0x1f]), "\x1f"],
];

test.each(contents)("reads %s from a file and, in parts, from standard input", async (_, bytes, text) => {
  const file = join(createFolder(), "input");
  await writeFile(file, bytes);
  const stdin = Readable.from([bytes.subarray(0, 1), bytes.subarray(1, 2), bytes.subarray(2)]);
  expect(await readAll(file, Readable.from([]))).toBe(text);
  expect(await readAll("-", stdin)).toBe(text);
});

/** Returns the gzip file with one changed byte. */
const damage = (index: number) => ZIPPED.with(index, ZIPPED.at(index)! ^ 0xff);
const PADDING = Buffer.alloc(200_000);

test.each([
  ["without its last byte", [ZIPPED.subarray(0, -1)], "unexpected end of file"],
  ["followed by garbage", [ZIPPED, Buffer.from("garbage")], "incorrect header check"],
  ["with garbage after the padding", [ZIPPED, PADDING, Buffer.from("g")], "zeros follow its end"],
  ["with a second member after the padding", [ZIPPED, PADDING, ZIPPED], "zeros follow its end"],
  ["whose second member begins with a zero", [ZIPPED, ZIPPED.with(0, 0)], "zeros follow its end"],
  ["whose second member has no magic number", [ZIPPED, damage(1)], "incorrect header check"],
  ["whose second member is damaged", [ZIPPED, damage(40)], "incorrect data check"],
  ["whose second member is cut", [ZIPPED, ZIPPED.subarray(0, 5)], "unexpected end of file"],
])("rejects gzip %s, whatever the size of its chunks", async (_, parts, reason) => {
  for (const size of [1, 50, ZIPPED.length, 1 << 20]) {
    const reading = readAll("-", Readable.from(cutBytes(Buffer.concat(parts), size)));
    const message = new RegExp(`^is a damaged gzip file: .*${reason}`);
    await expect(reading, `chunks of ${size} bytes`).rejects.toThrow(message);
  }
});

test("an error that is not about the file is thrown unchanged", async () => {
  const bug = Object.assign(new TypeError("a bug"), { code: "ERR_FAULT" });
  const stdin = new Readable({ read: () => stdin.destroy(bug) });
  await expect(readAll("-", stdin)).rejects.toBe(bug);
});

test("a line longer than the longest complete line comes in parts with its line number, cut between characters", async () => {
  const long = "€".repeat(500_000);
  const bytes = Readable.from(cutBytes(`1\n${long}\n3`, 10_000));
  const parts = await Array.fromAsync(decodeText(bytes));
  expect(parts.map(({ line }) => line)).toEqual([1, 2, 2, 3]);
  expect(parts.map(({ complete }) => complete)).toEqual([true, false, true, true]);
  expect(parts.map(({ text }) => text).join("")).toBe(`1\n${long}\n3`);
});

// biome-ignore format: a table of cases
test.each([
  ["after valid lines", Buffer.concat([Buffer.from("\ufffd\né€😀\n\ufffd"), Buffer.from([0xff, 10, 0xff])]), 3],
  ["in a character that the end of the file cuts off", Buffer.from("a\nb€").subarray(0, -1), 2],
])("names the line of the first byte that is not UTF-8: %s", async (_, bytes, line) => {
    const message = expect.stringContaining("is not UTF-8 text");
    for (let size = 1; size <= bytes.length; size++) {
      const reading = Array.fromAsync(decodeText(Readable.from(cutBytes(bytes, size))));
      await expect(reading, `chunks of ${size} bytes`).rejects.toMatchObject({ message, line });
    }
});
