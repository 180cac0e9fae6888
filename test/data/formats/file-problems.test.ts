import { expect, test } from "vitest";
import { FIELDS, makeRecord, REPORT_COLUMNS, readProblems } from "./read-input.ts";

const WHOLE = "is not a whole number, 0 or greater";
const UTC = "is not a date-time in UTC (YYYY-MM-DDThh:mm:ssZ)";

const GOOD = "1,7,a33,2019-02-28T10:00:00Z,,3,2,1,0,0,0,tf1";
const RECORD = JSON.stringify(makeRecord());
const { id: _, ...withoutId } = makeRecord();

test.each([
  [
    "all invalid cells of a row, and the rows after it",
    `${FIELDS}\n1,7,a33,yesterday,,many,-1,1,0,0,0,tf2\n${GOOD}\n1,7,a33,2019-02-28T10:00:00Z,,3,2,1,0,0,x,tf1\n`,
    [
      `-:2: timestamp "yesterday" ${UTC}`,
      `-:2: cars "many" ${WHOLE}`,
      `-:2: persons "-1" ${WHOLE}`,
      '-:2: model_name "tf2" is not "tf1"',
      `-:4: buses "x" ${WHOLE}`,
    ],
  ],
  [
    "rows with too few and too many cells",
    `${FIELDS}\n1,2\n${GOOD}\n${GOOD},\n`,
    ["-:2: has 2 cells instead of 12", "-:4: has 13 cells instead of 12"],
  ],
  [
    "missing, unknown and repeated columns",
    `${FIELDS.replace("trucks", "cars").replace("buses", "lorries,")}\n${GOOD}\n`,
    [
      "-:1: trucks is missing from the header",
      "-:1: buses is missing from the header",
      "-:1: lorries is not a column of a records file",
      '-:1: "" is not a column of a records file',
      "-:1: cars appears more than once in the header",
    ],
  ],
  [
    "a report without a column",
    `\n${REPORT_COLUMNS.replace(",car,", ",")}\n`,
    ["-:2: car is missing from the header"],
  ],
  ["CSV without a header", GOOD, [`-:1: "${GOOD}" is not the header of a records file or of a report`]],
  ["another kind of table", "a;b\n1;2\n", ['-:1: "a;b" is not the header of a records file or of a report']],
  ["an empty file", "", ["-: contains no records"]],
  ["only white space", "\ufeff \r\n\n\t", ["-: contains no records"]],
  ["only a header", `${FIELDS}\n\n`, ["-: contains no records"]],
  [
    "only empty envelopes",
    '{"results":[]}\n{"count":0,"next":null,"previous":null,"results":[]}',
    ["-: contains no records"],
  ],
  ["only an empty array", "[ ]", ["-: contains no records"]],
])("reports problems of CSV and of files: %s", async (_, text, problems) => {
  expect(await readProblems(text)).toEqual(problems);
});

test.each([
  [
    "a missing and an unknown field",
    JSON.stringify({ ...withoutId, colour: "red" }),
    ["-:1: id is missing", "-:1: colour is not a field of a record"],
  ],
  [
    "a field whose name has an escape sequence",
    JSON.stringify({ ...makeRecord(), "\u001b[2J": 1 }),
    ['-:1: "\\u001b[2J" is not a field of a record'],
  ],
  [
    "a field named __proto__",
    `${RECORD.slice(0, -1)},"__proto__":1}`,
    ["-:1: __proto__ is not a field of a record"],
  ],
  [
    "lines that are not records",
    `${RECORD}\n5\n\nnull\n"x"\n[[]]\n`,
    [
      "-:2: 5 is not a record",
      "-:4: null is not a record",
      '-:5: "x" is not a record',
      "-:6: [] is not a record",
    ],
  ],
  [
    "an invalid line, and the lines after it",
    `${RECORD}\n${RECORD.slice(0, 20)}\n${RECORD}\nx\n`,
    [`-:2: ${JSON.stringify(RECORD.slice(0, 20))} is not valid JSON`, '-:4: "x" is not valid JSON'],
  ],
  [
    "a truncated last line",
    `${RECORD}\n${RECORD.slice(0, 20)}`,
    [`-:2: ${JSON.stringify(RECORD.slice(0, 20))} is not valid JSON`],
  ],
  ["an envelope without results", '{"count":1,"next":null,"previous":null}', ["-:1: results is missing"]],
  [
    "results that are not an array",
    '{"count":1,"results":{"a":{"id":1}}}',
    ['-:1: results {"a":{"id":1}} is not an array'],
  ],
  [
    "an unknown field of an envelope",
    `{"results":[${RECORD}],"more":[${RECORD}]}`,
    ["-:1: more is not a field of an envelope"],
  ],
  [
    "results that are not records",
    '{"results":[7,[],null]}',
    ["-:1: 7 is not a record", "-:1: [] is not a record", "-:1: null is not a record"],
  ],
  [
    "pretty-printed results that are not an array",
    '{\n"results": {\n"a": {}\n}\n}',
    ['-:1: results {"a":{}} is not an array'],
  ],
  [
    "pretty-printed results that are not records",
    '[\n{"results": [\n7,\n[],\nnull]}\n,"x"]',
    [
      "-:3: 7 is not a record",
      "-:4: [] is not a record",
      "-:5: null is not a record",
      '-:6: "x" is not a record',
    ],
  ],
  [
    "a pretty-printed envelope without results",
    `[${RECORD},\n{\n"count": 1\n}\n]`,
    ["-:2: results is missing"],
  ],
  [
    "an invalid field of a pretty-printed record",
    JSON.stringify({ results: [makeRecord(), makeRecord({ cars: -1 })] }, null, 1),
    [`-:17: cars -1 ${WHOLE}`],
  ],
  [
    "a truncated envelope",
    `{\n"results": [\n${RECORD},\n`,
    ["-:3: ends inside the JSON value that starts in line 1"],
  ],
  [
    "a truncated second document",
    `[${RECORD}]\n[\n${RECORD}`,
    ["-:3: ends inside the JSON value that starts in line 2"],
  ],
  ["text between documents", `[${RECORD}]\nx\n[${RECORD}]`, ['-:2: "x" is not valid JSON']],
  [
    "text in a document",
    `{\n"results": [\n${RECORD}\nx`,
    ['-:4: "x" is not valid JSON inside the value that starts in line 1'],
  ],
  [
    "a trailing comma",
    `[{\n"results": [],\n}]`,
    ['-:3: "}]" is not valid JSON inside the value that starts in line 1'],
  ],
])("reports problems of JSON: %s", async (_, text, problems) => {
  expect(await readProblems(text)).toEqual(problems);
});

test("reports the line of bytes that are not UTF-8", async () => {
  const bytes = Buffer.from(`${FIELDS}\n${GOOD}\n1,7,\xe9,2019-02-28T10:00:00Z,,3,2,1,0,0,0,tf1\n`, "latin1");
  expect(await readProblems([bytes])).toEqual(["-:3: is not UTF-8 text"]);
});
