import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatCsvLine, readCsvRows } from "../../../../tools/data/formats/csv.ts";
import { decodeText, type InputFile, type TextChunk } from "../../../../tools/data/formats/input-file.ts";
import { readJsonObjects } from "../../../../tools/data/formats/json-objects.ts";
import { cutBytes, FIELDS, formatReport, makeRecord, readRows } from "../input.ts";

/** Reads the records of a file. Rows with problems are returned unchanged. */
const readRecords = async (input: string | Buffer[], modelName?: InputFile["modelName"]) =>
  (await readRows(input, modelName)).map((row) => ("record" in row ? row.record : row));

const NEW = makeRecord({ id: 2, timestamp: "2020-02-29T00:00:00Z", camera_ok: "True" });
const OLD = makeRecord();
const BOTH = [NEW, OLD];
const REFS = ["a\\", 'a"}', 'a\\"', "a:{"].map((camera_ref) => makeRecord({ camera_ref }));
const MAX = Number.MAX_SAFE_INTEGER;
const LONGEST = ["x".repeat(64), "😀".repeat(64)];
const JOINED = ["❤️ 1️⃣", "👩‍🚀", "🏳️‍🌈", "می‌خواهم", "葛\u{e0100}"];
const HEALTHS = Object.entries({ TRUE: "True", true: "True", FALSE: "False", false: "False" } as const);
const LINES =
  "2,7,a33,2020-02-29T00:00:00Z,True,3,2,1,0,0,0,tf1\n1,7,a33,2019-02-28T10:00:00Z,,3,2,1,0,0,0,tf1\n";

const COUNTS = { cars: 1, persons: 2, bicycles: 3, motorcycles: 4, buses: 5, trucks: 6 };
const CAPTURED = { timestamp: "2025-10-29T09:10:27Z", camera_ok: "True" } as const;
const { id: _, camera_pk: __, ...OBSERVATION } = makeRecord({ ...CAPTURED, ...COUNTS });

const envelope = { count: 2, next: null, previous: "http://localhost/api/tf1/records/?format=api&page=1" };
const page = { ...envelope, results: BOTH };
const compact = JSON.stringify(page);
const pretty = JSON.stringify(page, null, 2);

/** A page of more than 2 MB, which is longer than the longest complete line. */
const LARGE = { ...envelope, results: Array.from({ length: 12_000 }, (_, id) => makeRecord({ id })) };

// biome-ignore format: a table of cases
test.each<[what: string, text: string | Buffer[], records: object[], modelName?: "tf1"]>([
  ["CSV", `${FIELDS}\n${LINES}`, BOTH],
  ["CSV with CRLF", `${FIELDS}\n${LINES}`.replaceAll("\n", "\r\n"), BOTH],
  ["CSV with a byte order mark", `\ufeff${FIELDS}\n${LINES}`, BOTH],
  ["CSV with blank lines", `\n${FIELDS}\n\n${LINES}\n\n`, BOTH],
  ["CSV with rows of only separators, as spreadsheets write them", `,,\n${FIELDS}\n${LINES}${",".repeat(11)}\n${LINES}"",,\n,\n`, [...BOTH, ...BOTH]],
  ["CSV with the numbers that pandas writes in a column that had a gap",
    `${FIELDS}\n1.0,7.00,a33,2019-02-28T10:00:00Z,,3.0,2.0,1.0,0.0,0.0,0.0,tf1\n`, [OLD]],
  ["CSV with every cell in quotes", `${FIELDS}\n${LINES}`.replaceAll(/[^,\n]+/g, '"$&"').replaceAll(",,", ',"",'), BOTH],
  ["CSV with columns in a different order", `${FIELDS.split(",").toReversed()}\n${LINES.split("\n")[0]?.split(",").toReversed()}`, [NEW]],
  ["CSV with unusual camera_refs", `${FIELDS}\n1,-7,"é ,""",2019-02-28T10:00:00Z,,3,2,1,0,0,0,tf1`,
    [makeRecord({ camera_pk: -7, camera_ref: 'é ,"' })]],
  ["CSV with joiners and variation selectors in camera_refs",
    JOINED.map((ref) => `${FIELDS}\n1,7,${ref},2019-02-28T10:00:00Z,,3,2,1,0,0,0,tf1\n`).join(""),
    JOINED.map((camera_ref) => makeRecord({ camera_ref }))],
  ["CSV with TRUE, true, FALSE and false for camera_ok",
    HEALTHS.map(([cell]) => `${FIELDS}\n1,7,a33,2019-02-28T10:00:00Z,${cell},3,2,1,0,0,0,tf1\n`).join(""),
    HEALTHS.map(([, camera_ok]) => makeRecord({ camera_ok }))],
  ["CSV with the longest camera_refs and the largest numbers",
    LONGEST.map((ref) => `${FIELDS}\n${MAX},7,${ref},2019-02-28T10:00:00Z,,3,2,1,0,0,0,tf1\n`).join(""),
    LONGEST.map((camera_ref) => makeRecord({ id: MAX, camera_ref }))],
  ["CSV files that were concatenated with their headers", `${`${FIELDS}\n${LINES}`.repeat(2)}\ufeff${FIELDS}\r\n`, [...BOTH, ...BOTH]],
  ["concatenated CSV files as PowerShell writes them", `\ufeff${FIELDS.replaceAll(/\w+/g, '"$&"')}\r\n${LINES}`.repeat(2), [...BOTH, ...BOTH]],
  ["CSV that was cut in its last CRLF", `${FIELDS}\r\n${LINES.trimEnd()}\r`, BOTH],
  ["CSV with quotes that was cut in its last CRLF", `${FIELDS}\r\n${LINES.trimEnd().replaceAll("tf1", '"tf1"')}\r`, BOTH],
  ["JSON Lines", BOTH.map((record) => `${JSON.stringify(record)}\n`).join(""), BOTH],
  ["JSON Lines with a byte order mark, CRLF and blank lines",
    `\ufeff\r\n${BOTH.map((record) => `${JSON.stringify(record)}\r\n\r\n`).join("")}`, BOTH],
  ["JSON Lines with quotes and backslashes", REFS.map((record) => JSON.stringify(record)).join("\n"), REFS],
  ["a pretty-printed record", JSON.stringify(NEW, null, "\t"), [NEW]],
  ["an array of records", JSON.stringify(BOTH), BOTH],
  ["an envelope with results first", JSON.stringify({ results: BOTH, ...envelope }, null, 1), BOTH],
  ["an envelope or a record per line", `${compact}\n${JSON.stringify(NEW)}\n`, [...BOTH, NEW]],
  ["envelopes in sequence, compact and pretty", `${pretty} ${compact}${pretty}`, [...BOTH, ...BOTH, ...BOTH]],
  ["a pretty-printed array of envelopes", JSON.stringify([page, page], null, 2), [...BOTH, ...BOTH]],
  ["arrays in sequence", `[${compact}]\n[]\n[${JSON.stringify(NEW)}]`, [...BOTH, NEW]],
  ["one large envelope in one line", cutBytes(JSON.stringify(LARGE)), LARGE.results],
  ["a large envelope in a line after a small one", cutBytes(`${JSON.stringify({ ...envelope, results: [] })}\n${JSON.stringify(LARGE)}`), LARGE.results],
  ["CSV with another model name, which is replaced", `${FIELDS}\n${LINES}`.replaceAll("tf1", "yolo"), BOTH, "tf1"],
  ["JSON with another model name, which is replaced", compact.replaceAll('"tf1"', '"yolo"'), BOTH, "tf1"],
  ["a report with another model name, which is replaced", formatReport("2025-10-29 09:23:09Z,2025-10-29 09:10:27Z,A33,yolo,1,2,3,4,5,6,0"), [OBSERVATION], "tf1"],
])("reads %s", async (_, text, records, modelName) => {
  expect(await readRecords(text, modelName)).toStrictEqual(records);
});

test("the objects in JSON are the same however the text is split into chunks", () => {
  async function* cut(text: string, size: number): AsyncGenerator<TextChunk> {
    for (let at = 0; at < text.length; at += size)
      yield { text: text.slice(at, at + size), line: text.slice(0, at).split("\n").length, complete: false };
  }
  const anyValues = fc.array(
    fc.dictionary(fc.string({ unit: fc.constantFrom(...'a"\\{}[],:\n') }), fc.jsonValue()),
  );
  const check = fc.asyncProperty(anyValues, fc.integer({ min: 1, max: 9 }), async (values, size) => {
    const chunks = cut(JSON.stringify(values, null, 1), size);
    const found = await Array.fromAsync(readJsonObjects(chunks), (objects) => Array.from(objects));
    expect(found.flat().map(({ text }) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(values)));
  });
  return fc.assert(check);
});

// biome-ignore format: a table of cases
test.each([
  ["as the engine writes it", "2025-10-29 09:23:09+00:00,2025-10-29 09:10:27+00:00,A33,tf1,1,2,3,4,5,6,0", {}],
  ["with times of other offsets", "2025-10-29 10:23:09+01:00,2025-10-28 22:40:27-10:30,a33,tf1,1,2,3,4,5,6,0", {}],
  ["with fractions of a second", "2025-10-29 09:23:09.0000000009+00:00,2025-10-29 09:10:27.999+00:00,a33,tf1,1,2,3,4,5,6,0", {}],
  ["with white space around the camera_ref", '2025-10-29 09:23:09Z,2025-10-29 09:10:27Z," A33\t",tf1,1,2,3,4,5,6,0', {}],
  ["with one warning, as camera_ok False", "2025-10-29 09:23:09Z,2025-10-29 09:10:27Z,a33,tf1,1,2,3,4,5,6,1", { camera_ok: "False" }],
  ["with an empty cell for warnings, as camera_ok null", "2025-10-29 09:23:09Z,2025-10-29 09:10:27Z,a33,tf1,1,2,3,4,5,6,", { camera_ok: null }],
  ["with None for warnings, as camera_ok null", "2025-10-29 09:23:09Z,2025-10-29 09:10:27Z,a33,tf1,1,2,3,4,5,6,None", { camera_ok: null }],
])("reads a report %s", async (_, row, fields) => {
  const capturedAt = `2025-10-29T09:10:27.${row.includes(".999") ? "999" : "000"}000000Z`;
  const processedAt = "2025-10-29T09:23:09.000000000Z";
  expect(await readRows(formatReport(row))).toStrictEqual([
    { kind: "image", file: "-", line: 2, record: { ...OBSERVATION, ...fields }, capturedAt, processedAt },
  ]);
});

describe("the rows of CSV", () => {
  const readCells = async (text: string, size: number) =>
    (await Array.fromAsync(readCsvRows(decodeText(Readable.from(cutBytes(text, size)))))).flat();
  const cell = fc.string({ unit: fc.constantFrom("a", "é", ",", '"', "\n", "\r", "\r\n", " ") });
  const row = fc.record({
    cells: fc.array(cell, { minLength: 2, maxLength: 4 }),
    end: fc.constantFrom("\n", "\r\n"),
    blankLines: fc.array(fc.constantFrom("\n", "\r\n"), { maxLength: 2 }),
  });

  test("have the same cells and lines however the bytes are split into chunks", () =>
    fc.assert(
      fc.asyncProperty(fc.array(row), fc.integer({ min: 1, max: 40 }), async (rows, size) => {
        let text = "";
        const expected = rows.map(({ cells, end, blankLines }) => {
          text += blankLines.join("");
          const line = text.split("\n").length;
          text += cells.map((value) => `"${value.replaceAll('"', '""')}"`).join(",") + end;
          return { cells, line };
        });
        const isEmpty = ({ cells }: { cells: string[] }) => cells.join("") === "";
        expect(await readCells(text, size)).toEqual(expected.filter((row) => !isEmpty(row)));
      }),
    ));

  test("without quotes are read like those with quotes", () =>
    fc.assert(
      fc.asyncProperty(
        fc.stringMatching(/^([a,\r\n]|\r\n)*$/),
        fc.integer({ min: 1, max: 9 }),
        async (text, size) => {
          const quoted = await readCells(`${text}\n"a",""`, size);
          expect(await readCells(`${text}\n`, size)).toEqual(quoted.slice(0, -1));
        },
      ),
    ));
});

test.each([
  ["a;=1+1", '"a;=1+1"'],
  ["a\t=1+1", '"a\t=1+1"'],
  ["a,b", '"a,b"'],
  ['a"b', '"a""b"'],
  ["a b", "a b"],
])("the camera_ref %j is written as the cell %s", (camera_ref, cell) => {
  expect(formatCsvLine(makeRecord({ camera_ref }))).toContain(`,${cell},2019-`);
});
