import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFaultOptions, requireFaultOptions } from "../../src/faults/fault-options.ts";
import { OPTION_NAMES, OPTIONS } from "../../src/faults/option-table.ts";
import { expectInDocument } from "../documents/documentation.ts";

const ROWS = Object.entries(OPTIONS);

describe("the table of options", () => {
  test.each(ROWS)("has a valid example of %s", (name, { example }) => {
    const { values, errors } = parseFaultOptions("", [example]);
    expect(errors).toEqual([]);
    expect(Object.keys(values)).toEqual([name]);
  });

  test("is the table of docs/faults.md", () => {
    const rows = ROWS.map(
      ([, { expected, description, example }]) => `| \`${example}\` | ${description} | ${expected} |\n`,
    );
    expectInDocument("docs/faults.md", [
      `| Example | What it does | Value |\n|---|---|---|\n${rows.join("")}`,
    ]);
  });
});

describe("valid options", () => {
  test.each<[string, object]>([
    ["", {}],
    ["respond-async, wait=10, odata.maxpagesize=5, return=minimal, handling=strict, safe", {}],
    ['Code="503"; because=no', { code: 503 }],
    ["code=400, code=404", { code: 400 }],
    ["delay=0", { delay: 0 }],
    ["delay=100-10000", { delay: { min: 100, max: 10_000 } }],
    ["fail=.5", { fail: 0.5 }],
    ["fail=1.0", { fail: 1 }],
    ["fail=0.0000012345678901234567", { fail: 1.2345678901234567e-6 }],
    ["fail=1.2345678901234566e-7", { fail: 1.2345678901234566e-7 }],
    ["seed=9007199254740991", { seed: Number.MAX_SAFE_INTEGER }],
    ["on=3,7-9,last, code=404", { on: [3, { min: 7, max: 9 }, "last"], code: 404 }],
    ['on="3,last"', { on: [3, "last"] }],
    ["until=2030-01-31T12:00:00Z", { until: new Date(Date.UTC(2030, 0, 31, 12)) }],
    ["until=2028-02-29T00:00:00.250Z", { until: new Date(Date.UTC(2028, 1, 29) + 250) }],
    ["times=1, hang", { times: 1, hang: true }],
    ["retry-after=0", { "retry-after": 0 }],
    ["rows=swap, next=null, record=float", { rows: "swap", next: "null", record: "float" }],
    ["count=+1", { count: 1 }],
    ["count=-12", { count: -12 }],
    ["count= 5", { count: 5 }],
    ["grow=15/m", { grow: { records: 15, per: "m" } }],
  ])("%j", (text, expected) => {
    const { values, warnings, errors } = parseFaultOptions(text, []);
    expect([values, warnings, errors]).toEqual([expected, [], []]);
    expect(requireFaultOptions("prefer", values).values, "as an object").toEqual(expected);
  });

  test("fail can be any number that JavaScript formats", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (fail) => {
        expect(parseFaultOptions("", [`fail=${fail}`])).toMatchObject({ values: { fail }, errors: [] });
      }),
    );
  });

  test("of the header precede the options of the query", () => {
    const { values, formatted, inHeader } = parseFaultOptions("code=404, delay=1", [
      "code=500,body=empty",
      "fail=1",
    ]);
    expect([...inHeader]).toEqual(["code", "delay"]);
    expect(values).toEqual({ code: 404, delay: 1, body: "empty", fail: 1 });
    expect([...formatted.values()].sort()).toEqual(["body=empty", "code=404", "delay=1", "fail=1"]);
  });
});

describe("an invalid option is a warning in the header, and an error in the query", () => {
  test.each(
    // biome-ignore format: several options per line
    [
      "code", "code=399", "code=600", "code=5e2", "code=503.0", "code=-503", "code=0x1F7", 'code="503',
      "code=503 x", "delay", "delay=-1", "delay=10001", "delay=5-1", "delay=1-10001", "delay=1-2-3",
      "delay=1-", "delay=-", "delay=1.5", "delay=1s", "fail", "fail=-0.1", "fail=1.1", "fail=10%",
      "fail=.", "fail=1e1", "fail=NaN", "fail=Infinity", "seed=-1", "seed=1.5", "seed=x",
      "seed=9007199254740993", "seed=00000000000000004", "fail=0.1234567890123456789012345", "body",
      "body=broken", "body=CUT", "body=constructor", "on", "on=0", "on=first", "on=5-3", "on=records?page=3",
      "until=tomorrow", "until=2030-01-31", "until=2030-13-31T12:00:00Z", "until=2030-02-30T12:00:00Z",
      "times", "times=0", "times=many", "hang=1", "retry-after=soon", "retry-after=-1", "rows=add",
      "count=0", "count=+0", "count=many", "count=1.5", "next=previous", "next=http", "record=string",
      "grow=15", "grow=0/s", "grow=1/d",
      // The lower case of this letter, the Kelvin sign, is an ASCII k.
      "next=s\u212aip",
    ],
  )("%s", (text) => {
    const [name = ""] = text.split("=");
    const { expected } = new Map(ROWS).get(name)!;
    const message = `${text.replace("\u212a", "?")} is invalid: ${name} must be ${expected}.`;
    expect(parseFaultOptions(text, [])).toMatchObject({ warnings: [message], errors: [] });
    expect(parseFaultOptions("", [text])).toMatchObject({ warnings: [], errors: [message] });
    // The invalid option is ignored, so a valid one applies.
    const { example } = new Map(ROWS).get(name)!;
    expect(parseFaultOptions(text, [example]).values).toEqual(parseFaultOptions("", [example]).values);
  });

  test.each<[object, string]>([
    [{ code: 999 }, "code=999 is invalid: code must be a whole number from 400 to 599."],
    [{ code: null }, "code=null is invalid: "],
    [{ hang: false }, "hang=false is invalid: hang must be without a value."],
    [{ delay: { min: 5 } }, "delay=[object Object] is invalid: "],
    [{ until: new Date("x") }, "until=null is invalid: "],
    [{ grow: { records: 0, per: "m" } }, "grow=0/m is invalid: "],
    [{ on: [3, { min: 9, max: 7 }] }, "on=3,9-7 is invalid: "],
    [{ dealy: 5 }, "dealy=5 is unknown: the options are code, delay, "],
  ])("the object %j is an error", (values, message) =>
    expect(() => requireFaultOptions("prefer", values)).toThrow(message),
  );

  test("on with more than 50 elements", () => {
    const [most, more] = [50, 51].map((count) => `on=${Array(count).fill(1)}`) as [string, string];
    expect(parseFaultOptions(most, [])).toMatchObject({ warnings: [] });
    expect(parseFaultOptions(more, []).warnings[0]).toMatch(/ is invalid: on must be up to 50 page numbers/);
  });

  test.each(["dealy=5", "(code)"])("%s is unknown", (text) => {
    const message = `${text} is unknown: the options are ${OPTION_NAMES.join(", ")}.`;
    expect(parseFaultOptions(text, []).warnings).toEqual([message]);
    expect(parseFaultOptions("", [text]).errors).toEqual([message]);
  });

  test.each(["on=3;code=500", "code=503;", "hang ; x", "dealy;code=500", 'code="503";x', "on=3,7;code=500"])(
    "a semicolon is an error in the query, and starts a parameter in the header: %s",
    (text) => {
      const problem = expect.stringMatching(
        /;.* is invalid: separate options with commas, not semicolons\.$/,
      );
      expect(parseFaultOptions("", [text]).errors).toEqual([problem]);
      const [header = ""] = text.split(";");
      expect(parseFaultOptions(text, [])).toEqual(parseFaultOptions(header, []));
    },
  );

  test("a preference of another specification is an error in the query only", () => {
    expect(parseFaultOptions("respond-async", ["respond-async"])).toMatchObject({
      warnings: [],
      errors: [expect.stringMatching(/^respond-async is unknown: /)],
    });
  });

  test.each(["é", "\u2028", "\0", "x"])("the messages are short and in printable ASCII: %j", (character) => {
    const texts = [...OPTION_NAMES, character].map((name) => `${name}=${character.repeat(2_000)}`);
    expect(parseFaultOptions(texts.join(), []).warnings.join(" ")).toMatch(/^[\x20-\x7e]{200,1500}$/);
  });
});
