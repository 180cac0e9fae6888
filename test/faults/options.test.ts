import fc from "fast-check";
import { expect, test } from "vitest";
import { parseFaultOptions, requireFaultOptions } from "../../src/faults/fault-options.ts";
import { DESCRIPTIONS, OPTION_NAMES, type OptionValues } from "../../src/faults/option-table.ts";
import { formatRules } from "../../src/faults/rules.ts";
import { expectInDocument } from "../support/documentation.ts";

const parseHeader = (header: string) => parseFaultOptions(header, []);
const parseQuery = (...parameters: string[]) => parseFaultOptions("", parameters);

// biome-ignore format: a table of cases
test.each<[prefer: string, expected: OptionValues]>([
  ["code=503", { code: 503 }],
  ['Code="503"; because=no', { code: 503 }],
  ["count= 5", { count: 5 }],
  ["Body=Cut, on=LAST", { body: "cut", on: ["last"] }],
  ["times=1, hang", { times: 1, hang: true }],
  ["delay=0", { delay: 0 }],
  ["delay=100-10000", { delay: { min: 100, max: 10_000 } }],
  ["delay=5-5", { delay: { min: 5, max: 5 } }],
  ["fail=.5", { fail: 0.5 }],
  ["fail=1.0", { fail: 1 }],
  ["seed=9007199254740991", { seed: 9007199254740991 }],
  ["retry-after=0", { "retry-after": 0 }],
  ["count=+1", { count: 1 }],
  ["count=-12", { count: -12 }],
  ["grow=15/m", { grow: { records: 15, per: "m" } }],
  ["rate=1000/h", { rate: { requests: 1_000, per: "h" } }],
  ["on=3,7-9,last, code=404", { on: [3, { min: 7, max: 9 }, "last"], code: 404 }],
  ['on="3,last"', { on: [3, "last"] }],
  ["until=2028-02-29T00:00:00.250Z", { until: new Date(Date.UTC(2028, 1, 29) + 250) }],
  ["body=cut, rows=swap, next=null, record=float", { body: "cut", rows: "swap", next: "null", record: "float" }],
])("%s is read as %o from the header, from an object and from Preference-Applied", (prefer, expected) => {
  const { rules, warnings } = parseHeader(prefer);
  expect([rules, warnings]).toEqual([[expected], []]);
  expect(requireFaultOptions("prefer", rules).rules).toEqual([expected]);
  expect(parseQuery(formatRules(rules)).rules).toEqual([expected]);
});

test("fail can be any number from 0 to 1 that JavaScript formats", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (fail) => {
      expect(parseQuery(`fail=${fail}`)).toMatchObject({ rules: [{ fail }], errors: [] });
    }),
  );
});

// biome-ignore format: a table of cases
test.each([
  // Statuses that are no errors, and texts that are no integers
  "code", "code=399", "code=600", "code=5e2", "code=-503", "code=0x1F7", 'code="503',
  // Times, and ranges of times
  "delay", "delay=-1", "delay=10001", "delay=1.5", "delay=1s", "delay=5-1", "delay=1-10001", "delay=1-2-3", "delay=1-", "delay=-",
  // Shares
  "fail", "fail=-0.1", "fail=1.1", "fail=10%", "fail=.", "fail=1.", "fail=1e1", "fail=NaN",
  // Integers that are not safe, or too small
  "seed=9007199254740993", "seed=-1", "seed=1.5", "seed=x", "times", "times=0", "times=many", "count=0", "count=+0", "count=many", "count=1.5",
  // Words
  "body", "body=broken", "body=constructor", "record=string", "retry-after=soon", "retry-after=-1", "hang=1",
  // Pages
  "on", "on=0", "on=first", "on=5-3", "on=3?", "on=records?page=3",
  // Times in UTC
  "until=tomorrow", "until=2030-01-31", "until=2030-02-30T12:00:00Z", "until=2030-01-30T24:00:00Z",
  // Frequencies
  "grow=15", "grow=0/s", "grow=1/d", "grow=1/s/s", "rate", "rate=5", "rate=0/s", "rate=1001/s", "rate=5/d", "rate=0.5/s", "rate=5/s/s",
])("%s is an error in the query, and a warning in the header", (option) => {
  const [name = ""] = option.split("=");
  const problems = [expect.stringContaining(`${option} is invalid: ${name} must be `)];
  expect(parseQuery(option)).toMatchObject({ rules: [], errors: problems });
  expect(parseHeader(option)).toMatchObject({ rules: [], warnings: problems });
});

test("an unknown option is an error that lists the options, and a warning in the header", () => {
  const problems = [`dealy=5 is unknown: the options are ${OPTION_NAMES.join(", ")}; else divides rules.`];
  expect(parseQuery("dealy=5").errors).toEqual(problems);
  expect(parseHeader("dealy=5").warnings).toEqual(problems);
});

test.each([
  ["code=503, code=503", "code=503", { code: 503 }],
  ["times=1, TIMES=2", "times=2", { times: 1 }],
  ["on=3,code=503,on=7,body=cut", "on=7", { on: [3], code: 503, body: "cut" }],
])("%s is an error because of %s, which the header ignores", (prefer, repeated, counted) => {
  const problems = [expect.stringContaining(`${repeated} repeats the option `)];
  expect(parseQuery(prefer).errors).toEqual(problems);
  expect(parseQuery(...prefer.split(",")).errors).toEqual(problems);
  expect(parseHeader(prefer)).toMatchObject({ rules: [counted], warnings: problems });
});

test("a valid value after an invalid one counts in the header", () =>
  expect(parseHeader("code=x, code=404").rules).toEqual([{ code: 404 }]));

// biome-ignore format: a table of cases
test.each([
  "code=503;times=2", "code=503;", 'code="503";x', "on=3,7;code=500", "code=503&times=2", "code=503 times=2", "code:503", "code 503",
  "hang times=2", "(code)", "{'code': 503}", '{"code": 503}', '[{"code":503}]',
])("%s is an error that says how to separate options", (text) => {
  expect(parseQuery(text).errors).toEqual([expect.stringMatching(/ with commas, .* JSON/)]);
});

test.each(["on=3;code=500", "hang ; x", 'code="503";x', "on=3,7;code=500"])(
  "a semicolon starts a parameter in the header, which has no meaning: %s",
  (text) => {
    const [option = ""] = text.split(";");
    expect(parseHeader(text)).toEqual(parseHeader(option));
  },
);

test.each(["", "respond-async, wait=10, odata.maxpagesize=5, return=minimal, handling=strict, safe"])(
  "the header can have preferences of other standards without a warning: %j",
  (header) => expect(parseHeader(header)).toMatchObject({ rules: [], warnings: [], errors: [] }),
);

test("a preference of another standard is an error in the query", () =>
  expect(parseQuery("respond-async").errors).toEqual([expect.stringContaining("respond-async is unknown")]));

test.each<[name: string, header: string, expected: OptionValues]>([
  ["with a valid option replaces", "times=x, delay=1", { delay: 1 }],
  ["with none replaces", "none", { none: true }],
  ["without a valid option does not replace", "times=x", { code: 500, on: [3] }],
  ["of another standard does not replace", "wait=5", { code: 500, on: [3] }],
])("a header %s the query: %s", (_, header, expected) =>
  expect(parseFaultOptions(header, ["code=500", "on=3"]).rules).toEqual([expected]),
);

test("a header of more than 8,192 characters is ignored whole, with a warning", () => {
  const longest = "code=503".padEnd(8_192);
  expect(parseHeader(longest)).toMatchObject({ rules: [{ code: 503 }], warnings: [] });
  const warnings = ["The header Prefer has more than 8192 characters, and was ignored."];
  expect(parseHeader(`${longest} `)).toMatchObject({ rules: [], warnings });
});

test("of twenty problems, five are described, with the beginning of a long value", () => {
  const option = `code=${"x".repeat(400)}`;
  const { warnings } = parseHeader(Array(20).fill(option).join());
  const problem = expect.stringMatching(/^code=x+\.\.\. is invalid: code must be .{1,40}\.$/);
  expect(warnings).toEqual([...Array(5).fill(problem), "15 more problems."]);
});

test.each(["é", "\u2028", "\0"])("a problem with %j is described in ASCII, as in a header", (text) =>
  expect(parseHeader(`code=a${text}b`).warnings).toEqual([expect.stringMatching(/^code=a\?b is [ -~]+$/)]),
);

test.each([
  { code: 503, hang: undefined },
  { code: 503, hang: false },
])("an object does not set an option that is undefined or false: %o", (options) =>
  expect(requireFaultOptions("prefer", options).rules).toEqual([{ code: 503 }]),
);

test.each<[options: object, problem: string]>([
  [{ code: 999 }, "code=999 is invalid: "],
  [{ code: null }, "code=null is invalid: "],
  [{ hang: 1 }, "hang=1 is invalid: hang must be without a value, or true in JSON."],
  [{ delay: { min: 5 } }, 'delay={"min":5} is invalid: delay must be '],
  [{ until: new Date("x") }, "until=Invalid Date is invalid: "],
  [{ grow: { records: 0, per: "m" } }, "grow=0/m is invalid: "],
  [{ rate: { requests: 0, per: "s" } }, "rate=0/s is invalid: "],
  [{ on: [3, { min: 9, max: 7 }] }, "on=3,9-7 is invalid: "],
  [{ dealy: 5 }, "dealy=5 is unknown: "],
  [{ code: 503, else: true }, "else is invalid: "],
])("the object %o is an error that shows the value: %s", (options, problem) =>
  expect(() => requireFaultOptions("prefer", options)).toThrow(problem),
);

test("docs/faults.md has the table of options", () => {
  const rows = Object.values(DESCRIPTIONS).flatMap(({ expected, examples }) =>
    Object.entries(examples).map(
      ([example, text], index) => `| \`${example}\` | ${text} | ${index === 0 ? expected : ""} |\n`,
    ),
  );
  expectInDocument("docs/faults.md", [`| Example | What it does | Value |\n|---|---|---|\n${rows.join("")}`]);
});

const EXAMPLES = Object.entries(DESCRIPTIONS).flatMap(([name, { examples }]) =>
  Object.keys(examples).map((example) => [example, name] as const),
);

test.each(EXAMPLES)("the example %s of %s in the table is valid", (example, name) => {
  expect(example).toContain(name);
  expect(parseQuery(example).errors).toEqual([]);
});
