import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { stageFiles } from "../../../../tools/data/staging/staging.ts";
import { createFolder } from "../../../support/temporary-folder.ts";
import { FIELDS, makeRecord, readProblems } from "../input.ts";

// Files that contain no records in a known format.

const RECORD = JSON.stringify(makeRecord());
const GOOD = "1,7,a33,2019-02-28T10:00:00Z,,3,2,1,0,0,0,tf1";
const RECORDS = `${FIELDS}\n${GOOD}\n`;

/** The head of a tar archive: the name and the attributes of a file, a signature, and a version. */
const TAR = Buffer.from(`${"counts.csv".padEnd(257, "\0")}ustar\0${"0".padEnd(249, "\0")}`);

// biome-ignore format: a table of cases
test.each<[string, string | Buffer, RegExp]>([
  ["Windows-1252", Buffer.from("datum;stra\xdfe\n\0", "latin1"), /^-:1: is not UTF-8 .*iconv -f WINDOWS-1252/],
  ["zeros at the end, as after a crash", Buffer.concat([Buffer.from(RECORDS), Buffer.alloc(100)]), /^-:3: contains NUL .*tr -d '\\000'/],
  ["UTF-16 without a byte order mark", Buffer.from(RECORDS, "utf16le"), /^-:1: contains NUL .*UTF-16/],
  ["UTF-16", Buffer.from(`\ufeff${RECORDS}`, "utf16le"), /^-: is UTF-16 .*iconv -f UTF-16/],
  ["a spreadsheet", Buffer.from("PK\x03\x04\x14\0", "latin1"), /^-: .* spreadsheet; .*CSV in UTF-8/],
  ["bzip2", Buffer.from("BZh91AY&SY\xf9", "latin1"), /^-: .* bzip2; .*gzip/],
  ["gzip in gzip", gzipSync(gzipSync(RECORDS)), /^-: was gzipped twice/],
  ["a saved web page", '\n<!DOCTYPE html>\n<p title="a', /^-:2: is HTML .*format=json/],
  ["JSON after a comment with a quote", `// today's "records\n${RECORD}`, /^-:1: begins with a comment/],
  ["CSV after a comment", `# exported\n${RECORDS}`, /^-:1: begins with a comment/],
  ["2 MB with line ends of CR only", `${FIELDS}\r${`${GOOD}\r`.repeat(40_000)}`, /^-:1: .*CR only.*tr '\\r' '\\n'/],
  ["quoted names and line ends of CR only", `${FIELDS.replaceAll(/\w+/g, '"$&"')}\r${GOOD}\r`, /^-:1: .*CR only.*tr '\\r' '\\n'/],
  ["an old spreadsheet", Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", "latin1"), /^-: .* \.xls; .*CSV in UTF-8/],
  ["7z", Buffer.from("7z\xbc\xaf\x27\x1c\0", "latin1"), /^-: is a 7z archive/],
  ["LZ4", Buffer.from("\x04\x22M\x18\0", "latin1"), /^-: .* LZ4; .*gzip/],
  ["a dump of PostgreSQL", "--\n-- PostgreSQL database dump\n--\n", /^-:1: is SQL; .* CSV/],
  ["rows of sqlite3 in the mode insert", "INSERT INTO counts VALUES(1,7,'a33');\n", /^-:1: is SQL; .* CSV/],
  ["line ends of CR CR LF", RECORDS.replaceAll("\n", "\r\r\n"), /^-:1: .*CR CR LF.*tr -d '\\r'/],
  ["SQLite", Buffer.from("SQLite format 3\0\x10"), /^-: .* SQLite .*CSV in UTF-8/],
  ["Arrow", Buffer.from("ARROW1\0\0"), /^-: .* Arrow .*CSV in UTF-8/],
  ["Feather", Buffer.from("FEA1\0\0"), /^-: .* Feather .*CSV in UTF-8/],
  ["tar.gz", gzipSync(TAR), /^-: .* tar archive/],
  ["JSON in a call", `\n\ncallback([${RECORD}]);`, /^-:3: begins with "callback\("/],
  ["the headers of curl -i", `HTTP/1.1 200 OK\r\nVary: Accept\r\n\r\n[${RECORD}]`, /^-:1: .*curl -i/],
])("says what is wrong with %s", async (_, content, problem) => {
  const chunks = [Buffer.from(content).subarray(0, 1), Buffer.from(content).subarray(1)];
  expect(await readProblems(chunks)).toEqual([expect.stringMatching(problem)]);
});

test("says why each path cannot be read", async () => {
  const folder = createFolder();
  await writeFile(join(folder, "file"), RECORDS);
  await mkdir(join(folder, "directory/2024.csv"), { recursive: true });
  for (const name of ["notes.txt", ".a.csv"]) await writeFile(join(folder, "directory", name), RECORDS);
  const paths = ["nothing", "directory", "file/below", "K\ufffdln.csv"].map((name) => join(folder, name));
  const { message } = await stageFiles(["", ...paths]).catch((error) => error);
  expect(message.replaceAll(`${folder}/`, "").split("\n")).toEqual([
    '"": cannot be read: it does not exist',
    "nothing: cannot be read: it does not exist",
    expect.stringMatching(/^directory: contains no file .*: \[".a.csv","2024.csv\/","notes.txt"\]$/),
    "file/below: cannot be read: a part of the path is not a directory",
    "K\ufffdln.csv: cannot be read: its name is not UTF-8. Rename it",
    "Nothing was loaded.",
  ]);
});
