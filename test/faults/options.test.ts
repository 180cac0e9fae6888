import fc from "fast-check";
import { expect, test } from "vitest";
import { parseFaultOptions, requireFaultOptions } from "../../src/faults/fault-options.ts";
import { OPTION_NAMES, type OptionValues } from "../../src/faults/option-table.ts";
import { formatRules } from "../../src/faults/rules.ts";

// Options tell the service how to fail: `code=503, times=2` asks for the status 503 twice. A client sends them in the header `Prefer` or in
// the query parameter `prefer`. A program that embeds the service can pass them as an object, `{ code: 503, times: 2 }`.
// Without the word `else` (rules.test.ts), they are one rule, `rules[0]`.

/** Parses the header `Prefer`. Its problems are warnings, because servers must ignore preferences that they don't know (RFC 7240). */
function parseHeader(header: string) {
  const { rules, warnings } = parseFaultOptions(header, []);
  return { options: rules[0] ?? {}, problems: warnings };
}

/** Parses the query parameter `prefer`. Its problems are errors, which reject the request. */
function parseQuery(parameter: string) {
  const { rules, errors } = parseFaultOptions("", [parameter]);
  return { options: rules[0] ?? {}, problems: errors };
}

/** Parses an object, and throws if it has a problem. */
const parseObject = (object: object) => requireFaultOptions("prefer", object)[0];

// biome-ignore format: a table of cases
test.each<[text: string, options: OptionValues]>([
  ["code=400", { code: 400 }],
  ["code=599", { code: 599 }],
  ["delay=0", { delay: 0 }],
  ["delay=100-10000", { delay: { min: 100, max: 10_000 } }],
  ["delay=5-5", { delay: { min: 5, max: 5 } }],
  ["body=cut", { body: "cut" }],
  ["hang", { hang: true }],
  ["retry-after=0", { "retry-after": 0 }],
  ["rows=swap", { rows: "swap" }],
  ["count=+5", { count: 5 }],
  ["count=-12", { count: -12 }],
  ["next=null", { next: "null" }],
  ["record=float", { record: "float" }],
  ["grow=15/m", { grow: { records: 15, per: "m" } }],
  ["on=3,7-9,last", { on: [3, { min: 7, max: 9 }, "last"] }],
  ["until=2028-02-29T00:00:00.250Z", { until: new Date("2028-02-29T00:00:00.250Z") }],
  ["times=1", { times: 1 }],
  ["rate=1000/h", { rate: { requests: 1_000, per: "h" } }],
  ["fail=.5", { fail: 0.5 }],
  ["fail=1.0", { fail: 1 }],
  ["seed=9007199254740991", { seed: Number.MAX_SAFE_INTEGER }],
  // Commas separate options. Those within a list of pages do not.
  ["times=1, hang", { times: 1, hang: true }],
  ["on=3,7,code=404", { on: [3, 7], code: 404 }],
  // Upper case and quotes have no meaning.
  ["Body=CUT", { body: "cut" }],
  ['code="503"', { code: 503 }],
])("%s means %o", (text, options) => {
  expect(parseHeader(text)).toEqual({ options, problems: [] });
  expect(parseQuery(text)).toEqual({ options, problems: [] });
  // The same options as an object, and as text made from it.
  expect(parseObject(options)).toEqual(options);
  expect(parseQuery(formatRules([options]))).toEqual({ options, problems: [] });
});

test("fail can be any number from 0 to 1 as JavaScript writes it, such as 5e-324", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(fc.property(share, (fail) => parseQuery(`fail=${fail}`).options.fail === fail));
});

// biome-ignore format: a table of cases
test.each([
  "code", "code=399", "code=600", "code=-503", "code=5e2", "code=0x1F7", 'code="503',
  "delay", "delay=-1", "delay=10001", "delay=1.5", "delay=1s",
  "delay=5-1", "delay=1-10001", "delay=1-2-3", "delay=1-", "delay=-",
  "body", "body=broken", "body=constructor",
  "hang=1",
  "retry-after=soon", "retry-after=-1", "retry-after=86401",
  "count=0", "count=+0", "count=1.5", "count=many", "count=1234567890",
  "record=string",
  "grow=15", "grow=0/s", "grow=1001/s", "grow=0.5/s", "grow=1/d", "grow=1/s/s",
  "on", "on=0", "on=5-3", "on=first", "on=3?", "on=records?page=3",
  "until=tomorrow", "until=2030-01-31",
  // A day and an hour that do not exist.
  "until=2030-02-30T12:00:00Z", "until=2030-01-30T24:00:00Z",
  "times", "times=0", "times=1000001", "times=many",
  "rate", "rate=5", "rate=0/s", "rate=1001/s",
  "fail", "fail=-0.1", "fail=1.1", "fail=1e1", "fail=10%", "fail=.", "fail=1.", "fail=NaN",
  "seed=-1", "seed=9007199254740992", "seed=1.5", "seed=x",
])("%s is invalid", (text) => {
  const [option] = text.split("=");
  const problems = [expect.stringContaining(`${text} is invalid: ${option} must be `)];
  expect(parseHeader(text)).toEqual({ options: {}, problems });
  expect(parseQuery(text)).toEqual({ options: {}, problems });
});

// biome-ignore format: a table of cases
test.each([
  { text: "dealy=5, code=404", options: { code: 404 }, problem: "dealy=5 is unknown" },
  { text: "code=x, code=404", options: { code: 404 }, problem: "code=x is invalid" },
  { text: "code=503, code=503", options: { code: 503 }, problem: "code=503 repeats the option" },
  { text: "times=1, TIMES=2", options: { times: 1 }, problem: "times=2 repeats the option" },
  { text: "on=3, code=503, on=7, hang", options: { on: [3], code: 503, hang: true }, problem: "on=7 repeats the option" },
])('in "$text", $problem, and the rest counts', ({ text, options, problem }) => {
  const problems = [expect.stringContaining(problem)];
  expect(parseHeader(text)).toEqual({ options, problems });
  expect(parseQuery(text)).toEqual({ options, problems });
});

test("the message about an unknown option lists all options", () =>
  expect(parseQuery("dealy=5").problems.join()).toContain(OPTION_NAMES.join(", ")));

// biome-ignore format: a list of cases
test.each([
  "code=503;times=2", "code=503;", 'code="503";x', "on=3,7;code=500", "code=503&times=2", "code=503 times=2", "hang times=2",
  "hang; times=2", "code 503", "code:503", "(code)", "{'code': 503}", '{"code": 503}', '[{"code":503}]',
])("the problem of %s is that commas separate options", (text) => {
  const problems = [expect.stringContaining("separate options with commas")];
  expect(parseQuery(text).problems).toEqual(problems);
  expect(parseHeader(text).problems).toEqual(problems);
});

test("preferences of other standards are ignored in the header, and errors in the query", () => {
  const header = "respond-async; x, wait=10, odata.maxpagesize=5, return=minimal, handling=strict; x=1, safe";
  expect(parseHeader(header)).toEqual({ options: {}, problems: [] });
  expect(parseQuery("safe").problems).toEqual([expect.stringContaining("safe is unknown")]);
});

// A valid option in the header replaces the query, also `none`. An invalid one, or a preference of another standard, does not.
test.each<[header: string, options: OptionValues]>([
  ["delay=x", { code: 500 }],
  ["wait=5", { code: 500 }],
  ["times=x, delay=1", { delay: 1 }],
  ["none", { none: true }],
])("the header %s with the query code=500 means %o", (header, options) =>
  expect(parseFaultOptions(header, ["code=500"]).rules).toEqual([options]),
);

test("of twenty problems, five are described", () => {
  const { problems } = parseHeader("dealy=5, ".repeat(20));
  expect(problems).toHaveLength(6);
  expect(problems.at(-1)).toBe("15 more problems.");
});

test.each([
  { option: "code=é", shown: "code=?" },
  { option: "code=a\u2028\0b", shown: "code=a??b" },
  { option: `code=${"5".repeat(400)}`, shown: `code=${"5".repeat(35)}...` },
])("a problem shows at most 40 characters of an option, and only ASCII: $shown", ({ option, shown }) =>
  expect(parseHeader(option).problems).toEqual([expect.stringContaining(`${shown} is invalid`)]),
);

test("in an object, a range can be a text", () => {
  const range = { min: 7, max: 9 };
  expect(parseObject({ on: ["7-9", "last"], delay: "7-9" })).toEqual({ on: [range, "last"], delay: range });
});

test.each([undefined, false])("in an object, %s means that an option is not set", (hang) =>
  expect(parseObject({ code: 503, hang })).toEqual({ code: 503 }),
);

test.each([
  { object: { code: 999 }, problem: "code=999 is invalid" },
  { object: { code: null }, problem: "code=null is invalid" },
  { object: { hang: 1 }, problem: "hang=1 is invalid" },
  { object: { delay: { min: 5 } }, problem: 'delay={"min":5} is invalid' },
  { object: { until: new Date("tomorrow") }, problem: "until=Invalid Date is invalid" },
  { object: { grow: { records: 0, per: "m" } }, problem: "grow=0/m is invalid" },
  { object: { rate: { requests: 0, per: "s" } }, problem: "rate=0/s is invalid" },
  { object: { on: [3, { min: 9, max: 7 }] }, problem: "on=3,9-7 is invalid" },
  { object: { code: 503, else: true }, problem: "else is invalid" },
  { object: [{}, { code: 503 }], problem: "Rule 1 has no option" },
  { object: { dealy: 5 }, problem: "dealy=5 is unknown" },
  { object: { code: [503] }, problem: "code=[503] is invalid" },
  { object: { hang: [] }, problem: "hang=[] is invalid" },
  // Two pages, or a range?
  { object: { on: [[7, 9]] }, problem: "on=[7,9] is invalid" },
  { object: JSON.parse(`${'{"on":'}${"[".repeat(4_000)}7${"]".repeat(4_000)}}`), problem: "on=[[" },
])("the object $object throws an error: $problem", ({ object, problem }) =>
  expect(() => parseObject(object)).toThrow(problem),
);
