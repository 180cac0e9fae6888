import { describe, expect, test } from "vitest";
import { FIELDS, makeRecord, REPORT_COLUMNS, readProblems } from "./read-input.ts";

const WHOLE = "is not a whole number, 0 or greater";
const UTC = "is not a date-time in UTC (YYYY-MM-DDThh:mm:ssZ)";
const OFFSET = "is not a date-time with a UTC offset (YYYY-MM-DD hh:mm:ss+hh:mm)";
const STRING = "is not a string of 1 to 255 characters without control characters";

describe("reports an invalid field of a record", () => {
  const cells: [string, string, string, string][] = [
    ["a word for a count", "cars", "many", WHOLE],
    ["an empty count", "buses", "", WHOLE],
    ["a negative count", "persons", "-1", WHOLE],
    ["a fraction", "trucks", "1.5", WHOLE],
    ["an exponent", "trucks", "1e3", WHOLE],
    ["a hexadecimal number", "trucks", "0x1f", WHOLE],
    ["white space around a count", "trucks", " 1", WHOLE],
    [
      "a count above the largest safe integer",
      "cars",
      "9007199254740993",
      "is greater than 9007199254740991",
    ],
    ["an id below the smallest safe integer", "id", "-9007199254740993", "is less than -9007199254740991"],
    ["a word for an id", "id", "x7", "is not a whole number"],
    ["30 February", "timestamp", "2020-02-30T10:00:00Z", UTC],
    ["29 February outside a leap year", "timestamp", "1900-02-29T10:00:00Z", UTC],
    ["hour 24", "timestamp", "2019-02-28T24:00:00Z", UTC],
    ["hour 25", "timestamp", "2019-02-28T25:00:00Z", UTC],
    ["a leap second", "timestamp", "2016-12-31T23:59:60Z", UTC],
    ["no Z", "timestamp", "2019-02-28T10:00:00", UTC],
    ["an offset", "timestamp", "2019-02-28T10:00:00+00:00", UTC],
    ["a fraction of a second", "timestamp", "2019-02-28T10:00:00.000Z", UTC],
    ["an empty timestamp", "timestamp", "", UTC],
    ["an invalid camera_ok", "camera_ok", "true", 'is not "True", "False", or null'],
    ["an empty camera_ref", "camera_ref", "", STRING],
    ["a camera_ref with a control character", "camera_ref", "a\u0007", STRING],
    ["another model", "model_name", "tf2", 'is not "tf1"'],
  ];

  test.each(cells)("%s in CSV", async (_, field, cell, message) => {
    const row = { ...makeRecord(), camera_ok: "", [field]: cell };
    const text = `${FIELDS}\n${FIELDS.split(",")
      .map((name) => row[name as keyof typeof row])
      .join(",")}\n`;
    expect(await readProblems(text)).toEqual([`-:2: ${field} ${JSON.stringify(cell)} ${message}`]);
  });

  const values: [string, string, unknown, string][] = [
    ["a number as a string", "cars", "1", WHOLE],
    ["null for a count", "cars", null, WHOLE],
    ["a fraction", "cars", 1.5, WHOLE],
    ["a count above the largest safe integer", "cars", 2 ** 53, "is greater than 9007199254740991"],
    ["a boolean camera_ok", "camera_ok", true, 'is not "True", "False", or null'],
    ["an object for a camera_ref", "camera_ref", { a: 1 }, STRING],
    ["a camera_ref with a lone surrogate", "camera_ref", "\ud83d", STRING],
    ["a camera_ref that is too long", "camera_ref", "x".repeat(256), STRING],
    ["another model", "model_name", "tf2", 'is not "tf1"'],
  ];

  test.each(values)("%s in JSON", async (_, field, value, message) => {
    const text = JSON.stringify({ ...makeRecord(), [field]: value });
    const shown = JSON.stringify(value);
    expect(await readProblems(text)).toEqual([
      `-:1: ${field} ${shown.length > 60 ? `${shown.slice(0, 59)}…` : shown} ${message}`,
    ]);
  });

  test("does not replace a model name that is not a string", async () => {
    expect(await readProblems(JSON.stringify({ ...makeRecord(), model_name: 2 }), "tf1")).toEqual([
      '-:1: model_name 2 is not "tf1"',
    ]);
  });
});

const CAPTURED = "2025-10-29 09:10:27+00:00";

test.each([
  [
    "no offset",
    `${CAPTURED},2025-10-29 09:10:27,a,tf1,0,0,0,0,0,0,0`,
    'image_capt "2025-10-29 09:10:27" has no UTC offset (Z or +hh:mm)',
  ],
  [
    "no offset after a T",
    `2025-10-29T09:10:27.5,${CAPTURED},a,tf1,0,0,0,0,0,0,0`,
    'image_proc "2025-10-29T09:10:27.5" has no UTC offset (Z or +hh:mm)',
  ],
  [
    "30 February",
    `${CAPTURED},2025-02-30 09:10:27+00:00,a,tf1,0,0,0,0,0,0,0`,
    `image_capt "2025-02-30 09:10:27+00:00" ${OFFSET}`,
  ],
  [
    "an offset without a colon",
    `${CAPTURED},2025-02-20 09:10:27+0000,a,tf1,0,0,0,0,0,0,0`,
    `image_capt "2025-02-20 09:10:27+0000" ${OFFSET}`,
  ],
  ["no time", `,${CAPTURED},a,tf1,0,0,0,0,0,0,0`, `image_proc "" ${OFFSET}`],
  [
    "a time before the year 0",
    `${CAPTURED},0000-01-01 00:00:00+01:00,a,tf1,0,0,0,0,0,0,0`,
    `image_capt "0000-01-01 00:00:00+01:00" ${UTC}`,
  ],
  ["a camera_ref of white space", `${CAPTURED},${CAPTURED}, ,tf1,0,0,0,0,0,0,0`, `camera_ref " " ${STRING}`],
  ["a word for a count", `${CAPTURED},${CAPTURED},a,tf1,many,0,0,0,0,0,0`, `car "many" ${WHOLE}`],
  [
    "a word for warnings",
    `${CAPTURED},${CAPTURED},a,tf1,0,0,0,0,0,0,some`,
    `warnings "some" ${WHOLE}, or null`,
  ],
  ["another model", `${CAPTURED},${CAPTURED},a,tf2,0,0,0,0,0,0,0`, 'model_name "tf2" is not "tf1"'],
])("reports an invalid field of a report: %s", async (_, row, problem) => {
  expect(await readProblems(`${REPORT_COLUMNS}\n${row}\n`)).toEqual([`-:2: ${problem}`]);
});
