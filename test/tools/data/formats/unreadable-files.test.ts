import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { stageFiles } from "../../../../tools/data/staging/staging.ts";
import { createFolder } from "../../../support/temporary-folder.ts";
import { FIELDS, readProblems } from "../input.ts";

// Files that contain no records in a known format.

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
