import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFaultOptions, requireFaultOptions } from "../../src/faults/fault-options.ts";
import { DESCRIPTIONS, OPTIONS } from "../../src/faults/option-table.ts";
import { formatRules } from "../../src/faults/rules.ts";
import { expectInDocument } from "../support/documentation.ts";

const parseHeader = (text: string) => parseFaultOptions(text, []);
const parseQuery = (...texts: string[]) => parseFaultOptions("", texts);

describe("the table of options", () => {
  const examples = Object.entries(OPTIONS).flatMap(([name, option]) =>
    Object.keys(option.examples).map((example) => ({ name, example })),
  );

  test.each(examples)("has the valid example $example", ({ name, example }) => {
    const { rules, errors } = parseQuery(example);
    expect(errors).toEqual([]);
    expect(rules.map((rule) => Object.keys(rule))).toEqual([[name]]);
  });

  test("has a valid example of else", () => {
    const { rules, errors } = parseQuery(...Object.keys(DESCRIPTIONS.else!.examples));
    expect(errors).toEqual([]);
    expect(rules).toHaveLength(2);
  });

  test("is the table of docs/faults.md", () => {
    const rows = Object.values(DESCRIPTIONS).flatMap(({ expected, examples }) =>
      Object.entries(examples).map(
        ([example, text], index) => `| \`${example}\` | ${text} | ${index === 0 ? expected : ""} |\n`,
      ),
    );
    expectInDocument("docs/faults.md", [
      `| Example | What it does | Value |\n|---|---|---|\n${rows.join("")}`,
    ]);
  });
});

describe("a valid option has the same value in the header, in an object and in Preference-Applied:", () => {
  test.each<{ name: string; prefer: string; expected: object }>([
    { name: "a quoted value and a parameter", prefer: 'Code="503"; because=no', expected: { code: 503 } },
    { name: "white space", prefer: "count= 5", expected: { count: 5 } },
    { name: "capital letters", prefer: "Body=Cut, on=LAST", expected: { body: "cut", on: ["last"] } },
    { name: "no value", prefer: "times=1, hang", expected: { times: 1, hang: true } },
    { name: "a number for a range", prefer: "delay=0", expected: { delay: 0 } },
    { name: "a range", prefer: "delay=100-10000", expected: { delay: { min: 100, max: 10_000 } } },
    { name: "a range of one number", prefer: "delay=5-5", expected: { delay: { min: 5, max: 5 } } },
    { name: "a share without a digit before the point", prefer: "fail=.5", expected: { fail: 0.5 } },
    { name: "the largest share", prefer: "fail=1.0", expected: { fail: 1 } },
    { name: "the largest seed", prefer: "seed=9007199254740991", expected: { seed: 9007199254740991 } },
    { name: "no seconds", prefer: "retry-after=0", expected: { "retry-after": 0 } },
    { name: "a plus sign", prefer: "count=+1", expected: { count: 1 } },
    { name: "a minus sign", prefer: "count=-12", expected: { count: -12 } },
    { name: "a growth", prefer: "grow=15/m", expected: { grow: { records: 15, per: "m" } } },
    { name: "a rate", prefer: "rate=1000/h", expected: { rate: { requests: 1_000, per: "h" } } },
    {
      name: "commas inside on",
      prefer: "on=3,7-9,last, code=404",
      expected: { on: [3, { min: 7, max: 9 }, "last"], code: 404 },
    },
    { name: "quotes around on", prefer: 'on="3,last"', expected: { on: [3, "last"] } },
    {
      name: "a time with milliseconds on a leap day",
      prefer: "until=2028-02-29T00:00:00.250Z",
      expected: { until: new Date(Date.UTC(2028, 1, 29) + 250) },
    },
    {
      name: "words",
      prefer: "body=cut, rows=swap, next=null, record=float",
      expected: { body: "cut", rows: "swap", next: "null", record: "float" },
    },
  ])("$name: $prefer", ({ prefer, expected }) => {
    const { rules, warnings, errors } = parseHeader(prefer);
    expect([rules, warnings, errors]).toEqual([[expected], [], []]);
    expect(requireFaultOptions("prefer", rules).rules, "as an object").toEqual([expected]);
    expect(parseQuery(formatRules(rules)).rules, "as Preference-Applied").toEqual([expected]);
  });

  test("any share that JavaScript formats", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (fail) => {
        expect(parseQuery(`fail=${fail}`)).toMatchObject({ rules: [{ fail }], errors: [] });
      }),
    );
  });
});

describe("the header", () => {
  test.each(["", "respond-async, wait=10, odata.maxpagesize=5, return=minimal, handling=strict, safe"])(
    "has no options and no warning with preferences of other standards only: %j",
    (header) => expect(parseHeader(header)).toMatchObject({ rules: [], warnings: [], errors: [] }),
  );

  test.each([
    { name: "with one valid option", header: "times=x, delay=1", expected: [{ delay: 1 }] },
    { name: "with none", header: "none", expected: [{ none: true }] },
    { name: "but not without a valid option", header: "times=x", expected: [{ code: 500, on: [3] }] },
    { name: "but not with another preference", header: "wait=5", expected: [{ code: 500, on: [3] }] },
  ])("replaces the query $name: $header", ({ header, expected }) =>
    expect(parseFaultOptions(header, ["code=500", "on=3"]).rules).toEqual(expected),
  );

  test("of more than 8,192 characters is refused whole, with a warning", () => {
    const longest = "code=503".padEnd(8_192);
    expect(parseHeader(longest)).toMatchObject({ rules: [{ code: 503 }], warnings: [] });
    expect(parseHeader(`${longest} `)).toMatchObject({
      rules: [],
      warnings: ["The header Prefer has more than 8192 characters, and was ignored."],
    });
  });
});

describe("an invalid option is ignored with a warning in the header, and an error in the query:", () => {
  const invalid = {
    "a status that is no error": ["code", "code=399", "code=600"],
    "a status that is no integer": ["code=5e2", "code=-503", "code=0x1F7", 'code="503'],
    "no time": ["delay", "delay=-1", "delay=10001", "delay=1.5", "delay=1s"],
    "no range of times": ["delay=5-1", "delay=1-10001", "delay=1-2-3", "delay=1-", "delay=-"],
    "no share": ["fail", "fail=-0.1", "fail=1.1", "fail=10%", "fail=.", "fail=1.", "fail=1e1", "fail=NaN"],
    "no safe integer": ["seed=9007199254740993", "seed=-1", "seed=1.5", "seed=x"],
    "no word of the option": ["body", "body=broken", "body=constructor", "record=string"],
    "a value where there is none": ["hang=1"],
    "no pages": ["on", "on=0", "on=first", "on=5-3", "on=3?", "on=records?page=3"],
    "no time in UTC": [
      "until=tomorrow",
      "until=2030-01-31",
      "until=2030-02-30T12:00:00Z",
      "until=2030-01-30T24:00:00Z",
    ],
    "no number of times": ["times", "times=0", "times=many"],
    "no time for a retry": ["retry-after=soon", "retry-after=-1"],
    "no difference": ["count=0", "count=+0", "count=many", "count=1.5"],
    "no growth": ["grow=15", "grow=0/s", "grow=1/d", "grow=1/s/s"],
    "no rate": ["rate", "rate=5", "rate=0/s", "rate=1001/s", "rate=5/d", "rate=0.5/s", "rate=5/s/s"],
  };
  const rows = Object.entries(invalid).flatMap(([group, options]) =>
    options.map((option) => ({ group, option })),
  );

  test.each(rows)("$group: $option", ({ option }) => {
    const [name = ""] = option.split("=");
    const problems = [expect.stringContaining(`${option} is invalid: ${name} must be `)];
    expect(parseHeader(option)).toMatchObject({ rules: [], warnings: problems, errors: [] });
    expect(parseQuery(option)).toMatchObject({ rules: [], warnings: [], errors: problems });
  });

  test.each(["dealy=5", "(code)"])("an unknown name, and the message lists the options: %s", (option) => {
    const problems = [expect.stringMatching(/ is unknown: .*code, delay, .*, none/)];
    expect(parseHeader(option)).toMatchObject({ warnings: problems, errors: [] });
    expect(parseQuery(option)).toMatchObject({ warnings: [], errors: problems });
  });

  test.each([
    { prefer: "code=503, code=503", repeated: "code=503", counted: { code: 503 } },
    { prefer: "times=1, TIMES=2", repeated: "times=2", counted: { times: 1 } },
    { prefer: "on=3,code=503,on=7,body=cut", repeated: "on=7", counted: { on: [3], code: 503, body: "cut" } },
  ])("a second value: $prefer", ({ prefer, repeated, counted }) => {
    const problems = [expect.stringContaining(`${repeated} repeats the option `)];
    expect(parseHeader(prefer)).toMatchObject({ rules: [counted], warnings: problems, errors: [] });
    expect(parseQuery(prefer).errors).toEqual(problems);
    expect(parseQuery(...prefer.split(",")).errors, "in several parameters").toEqual(problems);
    expect(() => requireFaultOptions("PREFER", prefer)).toThrow(`${repeated} repeats the option `);
  });

  test("a valid value after an invalid one counts in the header", () =>
    expect(parseHeader("code=x, code=404").rules).toEqual([{ code: 404 }]));

  test.each(["on=3;code=500", "code=503;", "hang ; x", 'code="503";x', "on=3,7;code=500"])(
    "a semicolon, which starts a parameter in the header: %s",
    (text) => {
      expect(parseQuery(text).errors).toEqual([expect.stringMatching(/;.* with commas/)]);
      const [header = ""] = text.split(";");
      expect(parseHeader(text)).toEqual(parseHeader(header));
    },
  );

  test("a preference of another standard, but only in the query", () =>
    expect(parseFaultOptions("respond-async", ["respond-async"])).toMatchObject({
      warnings: [],
      errors: [expect.stringContaining("respond-async is unknown")],
    }));

  test.each(["é", "\u2028", "\0", "x"])(
    "five problems are described in ASCII, because a header contains them: %j",
    (character) => {
      const { warnings } = parseHeader(
        Array(20)
          .fill(`code=a${character.repeat(400)}x`)
          .join(),
      );
      expect(warnings).toEqual([
        ...Array(5).fill(
          expect.stringMatching(/^code=[\x20-\x7e]{35}\.\.\. is invalid: code must be [ -z]{1,40}\.$/),
        ),
        "15 more problems.",
      ]);
    },
  );
});

describe("an object", () => {
  test.each([{ hang: undefined }, { hang: false }])("does not set an option with %j", (unset) => {
    const options = { code: 503, ...Object(unset) };
    expect(requireFaultOptions("prefer", options).rules).toEqual([{ code: 503 }]);
  });

  test.each<{ name: string; prefer: object; expected: string }>([
    { name: "a number out of range", prefer: { code: 999 }, expected: "code=999 is invalid: " },
    { name: "null", prefer: { code: null }, expected: "code=null is invalid: " },
    { name: "half a range", prefer: { delay: { min: 5 } }, expected: 'delay={"min":5} is invalid: ' },
    {
      name: "an invalid date",
      prefer: { until: new Date("x") },
      expected: "until=Invalid Date is invalid: ",
    },
    { name: "no growth", prefer: { grow: { records: 0, per: "m" } }, expected: "grow=0/m is invalid: " },
    { name: "no rate", prefer: { rate: { requests: 0, per: "s" } }, expected: "rate=0/s is invalid: " },
    { name: "a range in a list", prefer: { on: [3, { min: 9, max: 7 }] }, expected: "on=3,9-7 is invalid: " },
    { name: "an unknown name", prefer: { dealy: 5 }, expected: "dealy=5 is unknown: " },
    { name: "else", prefer: { code: 503, else: true }, expected: "else is invalid: " },
  ])("with $name is an error that shows the value", ({ prefer, expected }) =>
    expect(() => requireFaultOptions("prefer", prefer)).toThrow(expected),
  );
});
