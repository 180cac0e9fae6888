import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeText, readBytes } from "../../../../tools/data/formats/input-file.ts";
import { stageFiles } from "../../../../tools/data/staging/staging.ts";
import { createFolder } from "../../../support/temporary-folder.ts";
import { cutBytes, FIELDS, readProblems, replaceStandardInput } from "../input.ts";

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

const RECORDS = `${FIELDS}\n1,7,a33,2019-02-28T10:00:00Z,,3,2,1,0,0,0,tf1\n`;

test.each<[string, content: string | Buffer, line: number, problem: string]>([
  ["Windows-1252", Buffer.from("datum;stra\xdfe\n\0", "latin1"), 1, "is not UTF-8 text"],
  ["UTF-16", Buffer.from(`\ufeff${RECORDS}`, "utf16le"), 1, "is not UTF-8 text"],
  ["zeros at the end, as after a crash", Buffer.from(`${RECORDS}\0\0`), 3, "is not UTF-8 text"],
  ["gzip in gzip", gzipSync(gzipSync(RECORDS)), 1, "is not UTF-8 text"],
  ["a web page", '\n<!DOCTYPE html>\n<p title="a', 2, "is not the header of a records file"],
])("says what is wrong with %s", async (_, content, line, problem) => {
  const chunks = [Buffer.from(content).subarray(0, 1), Buffer.from(content).subarray(1)];
  expect(await readProblems(chunks)).toEqual([expect.stringContaining(`-:${line}: ${problem}`)]);
});

test("says why each path cannot be read", async () => {
  const folder = createFolder();
  await writeFile(join(folder, "file"), RECORDS);
  await mkdir(join(folder, "directory/2024.csv"), { recursive: true });
  for (const name of ["notes.txt", ".a.csv"]) await writeFile(join(folder, "directory", name), RECORDS);
  await symlink("file", join(folder, "link"));
  const names = ["nothing", "directory", "file/below", "K\ufffdln.csv", "file", "link"];
  const paths = names.map((name) => join(folder, name));
  const { message } = await stageFiles(["", ...paths]).catch((error) => error);
  expect(message.replaceAll(`${folder}/`, "").split("\n")).toEqual([
    '"": cannot be read: it does not exist',
    "nothing: cannot be read: it does not exist",
    expect.stringMatching(/^directory: contains no file .*: \[".a.csv","2024.csv\/","notes.txt"\]$/),
    "file/below: cannot be read: a part of the path is not a directory",
    "K\ufffdln.csv: cannot be read: its name is not UTF-8. Rename it",
    "link: is the same file as file",
    "Nothing was loaded.",
  ]);
});
