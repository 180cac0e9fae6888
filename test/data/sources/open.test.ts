import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBytes } from "../../../data/sources/open.ts";
import { collect } from "./input.ts";

const TEXT = "one\ntwo\n".repeat(20_000);
const ZIPPED = gzipSync(TEXT);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "open-test-"));
  await mkdir(join(folder, "directory"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function readAll(file: string, stdin: Readable): Promise<string> {
  return Buffer.concat(await collect(openBytes(file, stdin))).toString();
}

function streamBytes(bytes: Buffer, size: number): Readable {
  const count = Math.ceil(bytes.length / size);
  return Readable.from(Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size)));
}

const contents: [string, Buffer, string][] = [
  ["plain text", Buffer.from(TEXT), TEXT],
  ["gzip", ZIPPED, TEXT],
  ["gzip of several members", Buffer.concat([ZIPPED, gzipSync("three\n"), ZIPPED]), `${TEXT}three\n${TEXT}`],
  ["no bytes", Buffer.alloc(0), ""],
  ["one byte", Buffer.from("x"), "x"],
  ["the first byte of gzip alone", Buffer.from([0x1f]), "\x1f"],
];

test.each(contents)("%s from a file", async (_, bytes, text) => {
  const file = join(folder, "input");
  await writeFile(file, bytes);
  expect(await readAll(file, Readable.from([]))).toBe(text);
});

test.each(contents)("%s from standard input, byte by byte at first", async (_, bytes, text) => {
  const stdin = Readable.from([bytes.subarray(0, 1), bytes.subarray(1, 2), bytes.subarray(2)]);
  expect(await readAll("-", stdin)).toBe(text);
});

test.each([
  ["no such file", "nothing", "does not exist"],
  ["a directory", "directory", "is a directory"],
  ["a directory that is a file", "input/nothing", "cannot be read: ENOTDIR"],
])("%s", async (_, name, message) => {
  await writeFile(join(folder, "input"), "");
  await expect(readAll(join(folder, name), Readable.from([]))).rejects.toThrow(message);
});

test.each([
  ["cut after its header", ZIPPED.subarray(0, 12), "unexpected end of file"],
  ["cut in its last byte", ZIPPED.subarray(0, -1), "unexpected end of file"],
  ["with a wrong header", Buffer.from("\x1f\x8bhello", "latin1"), "unknown compression method"],
  ["with a wrong checksum", Buffer.concat([ZIPPED.subarray(0, -8), Buffer.alloc(8)]), "incorrect data check"],
])("gzip %s", async (_, bytes, reason) => {
  const message = `is a damaged gzip file: ${reason}`;
  await expect(readAll("-", streamBytes(bytes, 50))).rejects.toThrow(message);
});

test("a fault of the program is not taken for one of the input", async () => {
  const fault = Object.assign(new TypeError("a fault"), { code: "ERR_FAULT" });
  const stdin = new Readable({ read: () => stdin.destroy(fault) });
  await expect(readAll("-", stdin)).rejects.toBe(fault);
});
