import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatOptions } from "../../src/faults/applied-options.ts";
import { parseFaultOptions, requireFaultOptions } from "../../src/faults/fault-options.ts";
import { DESCRIPTIONS, OPTIONS } from "../../src/faults/option-table.ts";
import { expectInDocument } from "../documents/documentation.ts";

const EXAMPLES = Object.entries(OPTIONS).flatMap(([name, { examples }]) =>
  Object.keys(examples).map((example) => ({ name, example })),
);

describe("the table of options", () => {
  test.each(EXAMPLES)("has the valid example $example", ({ name, example }) => {
    const { values, errors } = parseFaultOptions("", [example]);
    expect(errors).toEqual([]);
    expect(Object.keys(values)).toEqual([name]);
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

test.each<{ name: string; prefer: string; expected: object }>([
  { name: "no option", prefer: "", expected: {} },
  {
    name: "preferences of other standards, which have no effect here",
    prefer: "respond-async, wait=10, odata.maxpagesize=5, return=minimal, handling=strict, safe",
    expected: {},
  },
  { name: "a quoted value and a parameter", prefer: 'Code="503"; because=no', expected: { code: 503 } },
  { name: "white space", prefer: "count= 5", expected: { count: 5 } },
  { name: "a number for a range", prefer: "delay=0", expected: { delay: 0 } },
  { name: "a range", prefer: "delay=100-10000", expected: { delay: { min: 100, max: 10_000 } } },
  { name: "a range of one number", prefer: "delay=5-5", expected: { delay: { min: 5, max: 5 } } },
  { name: "a share without a digit before the point", prefer: "fail=.5", expected: { fail: 0.5 } },
  { name: "the largest share", prefer: "fail=1.0", expected: { fail: 1 } },
  { name: "the largest seed", prefer: "seed=9007199254740991", expected: { seed: 9007199254740991 } },
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
  { name: "an option without a value", prefer: "times=1, hang", expected: { times: 1, hang: true } },
  { name: "no seconds", prefer: "retry-after=0", expected: { "retry-after": 0 } },
  {
    name: "words",
    prefer: "body=cut, rows=swap, next=null, record=float",
    expected: { body: "cut", rows: "swap", next: "null", record: "float" },
  },
  { name: "a plus sign", prefer: "count=+1", expected: { count: 1 } },
  { name: "capital letters", prefer: "Body=Cut, on=LAST", expected: { body: "cut", on: ["last"] } },
  { name: "a minus sign", prefer: "count=-12", expected: { count: -12 } },
  { name: "a growth", prefer: "grow=15/m", expected: { grow: { records: 15, per: "m" } } },
  { name: "a rate", prefer: "rate=1000/h", expected: { rate: { requests: 1_000, per: "h" } } },
])(
  "$name: $prefer is valid in the header, and its values as an object and as Preference-Applied",
  ({ prefer, expected }) => {
    const { values, warnings, errors } = parseFaultOptions(prefer, []);
    expect([values, warnings, errors]).toEqual([expected, [], []]);
    expect(requireFaultOptions("prefer", values).values, "as an object").toEqual(expected);
    expect(parseFaultOptions("", formatOptions(values)).values, "as Preference-Applied").toEqual(expected);
  },
);

test("fail can be any number that JavaScript formats", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (fail) => {
      expect(parseFaultOptions("", [`fail=${fail}`])).toMatchObject({ values: { fail }, errors: [] });
    }),
  );
});

describe("the header replaces the query", () => {
  test.each([
    { name: "with one valid option", header: "times=x, delay=1", expected: { delay: 1 } },
    { name: "with none", header: "none", expected: { none: true } },
    { name: "but not without a valid option", header: "times=x", expected: { code: 500, on: [3] } },
    {
      name: "but not with a preference of another standard",
      header: "wait=5",
      expected: { code: 500, on: [3] },
    },
  ])("$name: $header", ({ header, expected }) => {
    expect(parseFaultOptions(header, ["code=500", "on=3"]).values).toEqual(expected);
  });
});

test.each(["code=503, on=3, code=503", "on=3,code=503,on=7,body=cut", "times=1, TIMES=2"])(
  "a repeated option is an error in the query and in a setting, and has no effect in the header: %s",
  (text) => {
    const problems = [
      expect.stringMatching(/^(code=503|on=7|times=2) repeats the option (code|on|times)\.$/),
    ];
    expect(parseFaultOptions("", [text]).errors).toEqual(problems);
    expect(parseFaultOptions("", text.split(/, |,(?=on=7)/)).errors).toEqual(problems);
    expect(() => requireFaultOptions("PREFER", text)).toThrow(/repeats the option/);
    const { values, warnings } = parseFaultOptions(text, []);
    expect(warnings).toEqual(problems);
    expect(values).toEqual(
      parseFaultOptions(text.replace(/(.*), ?(code=503|on=7|TIMES=2)/, "$1"), []).values,
    );
  },
);

test("a header of more than 8,192 characters is refused whole, with a warning", () => {
  const longest = "code=503".padEnd(8_192);
  expect(parseFaultOptions(longest, [])).toMatchObject({ values: { code: 503 }, warnings: [] });
  expect(parseFaultOptions(`${longest} `, [])).toMatchObject({
    values: {},
    warnings: ["The header Prefer has more than 8192 characters, and was ignored."],
  });
});

describe("an invalid option is ignored with a warning in the header, and an error in the query:", () => {
  test.each([
    ...["code", "code=399", "code=600", "code=5e2", "code=-503", "code=0x1F7", 'code="503'],
    ...["delay", "delay=-1", "delay=10001", "delay=1.5", "delay=1s"],
    ...["delay=5-1", "delay=1-10001", "delay=1-2-3", "delay=1-", "delay=-"],
    ...["fail", "fail=-0.1", "fail=1.1", "fail=10%", "fail=.", "fail=1e1", "fail=NaN"],
    ...["seed=9007199254740993", "seed=-1", "seed=1.5", "seed=x"],
    ...["body", "body=broken", "body=constructor", "record=string", "hang=1"],
    ...["on", "on=0", "on=first", "on=5-3", "on=3?", "on=records?page=3"],
    ...["until=tomorrow", "until=2030-01-31", "until=2030-02-30T12:00:00Z", "until=2030-01-30T24:00:00Z"],
    ...["times", "times=0", "times=many", "retry-after=soon", "retry-after=-1"],
    ...["count=0", "count=+0", "count=many", "count=1.5"],
    ...["grow=15", "grow=0/s", "grow=1/d", "grow=1/s/s"],
    ...["rate", "rate=5", "rate=0/s", "rate=1001/s", "rate=5/d", "rate=0.5/s", "rate=5/s/s"],
  ])("%s", (option) => {
    const [name = ""] = option.split("=");
    const problems = [expect.stringContaining(`${option} is invalid: ${name} must be `)];
    expect(parseFaultOptions(option, [])).toMatchObject({ values: {}, warnings: problems, errors: [] });
    expect(parseFaultOptions("", [option])).toMatchObject({ values: {}, warnings: [], errors: problems });
  });

  test.each(["dealy=5", "(code)"])("%s is unknown, and the message lists the options", (option) => {
    const problems = [expect.stringMatching(/ is unknown: .*code, delay, .*, none/)];
    expect(parseFaultOptions(option, [])).toMatchObject({ warnings: problems, errors: [] });
    expect(parseFaultOptions("", [option])).toMatchObject({ warnings: [], errors: problems });
  });

  test("a valid value after an invalid one counts", () =>
    expect(parseFaultOptions("code=x, code=404", []).values).toEqual({ code: 404 }));

  test.each(["on=3;code=500", "code=503;", "hang ; x", 'code="503";x', "on=3,7;code=500"])(
    "a semicolon is an error in the query, and starts a parameter in the header: %s",
    (text) => {
      expect(parseFaultOptions("", [text]).errors).toEqual([expect.stringMatching(/;.* with commas/)]);
      const [header = ""] = text.split(";");
      expect(parseFaultOptions(text, [])).toEqual(parseFaultOptions(header, []));
    },
  );

  test("a preference of another standard is an error in the query only", () =>
    expect(parseFaultOptions("respond-async", ["respond-async"])).toMatchObject({
      warnings: [],
      errors: [expect.stringContaining("respond-async is unknown")],
    }));

  test.each(["é", "\u2028", "\0", "x"])("the messages fit into a header: %j", (character) => {
    const texts = Array(20).fill(`code=${character.repeat(400)}`);
    const { warnings } = parseFaultOptions(texts.join(), []);
    expect(warnings.join(" ")).toMatch(/^[\x20-\x7e]{200,1500} 15 more problems\.$/);
  });
});

test.each([{ hang: undefined }, { hang: false }])("an option is not set by %j in an object", (unset) =>
  expect(requireFaultOptions("prefer", { code: 503, ...Object(unset) }).values).toEqual({ code: 503 }),
);

test.each<{ name: string; prefer: object; expected: string }>([
  { name: "a number out of range", prefer: { code: 999 }, expected: "code=999 is invalid: " },
  { name: "null", prefer: { code: null }, expected: "code=null is invalid: " },
  { name: "half a range", prefer: { delay: { min: 5 } }, expected: "delay=[object Object] is invalid: " },
  { name: "an invalid date", prefer: { until: new Date("x") }, expected: "until=null is invalid: " },
  { name: "no growth", prefer: { grow: { records: 0, per: "m" } }, expected: "grow=0/m is invalid: " },
  { name: "no rate", prefer: { rate: { requests: 0, per: "s" } }, expected: "rate=0/s is invalid: " },
  { name: "a range in a list", prefer: { on: [3, { min: 9, max: 7 }] }, expected: "on=3,9-7 is invalid: " },
  { name: "an unknown name", prefer: { dealy: 5 }, expected: "dealy=5 is unknown: " },
])("an object with $name is an error that shows the value", ({ prefer, expected }) =>
  expect(() => requireFaultOptions("prefer", prefer)).toThrow(expected),
);
