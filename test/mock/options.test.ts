import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BODY_FAULTS, OPTION_DOCS } from "../../src/mock/option-docs.ts";
import { readOptions } from "../../src/mock/options.ts";
import { readPreferHeader } from "../../src/mock/prefer-header.ts";

const read = (text: string) => readOptions(readPreferHeader(text));

describe("valid options", () => {
  test.each<[string, object]>([
    ["", {}],
    ["respond-async, wait=10", {}],
    ["code=400", { code: 400 }],
    ["code=599", { code: 599 }],
    ['Code="503"; because=no', { code: 503 }],
    ["delay=0", { delay: { min: 0, max: 0 } }],
    ["delay=10000", { delay: { min: 10_000, max: 10_000 } }],
    ["delay=100-500", { delay: { min: 100, max: 500 } }],
    ["delay=5-5", { delay: { min: 5, max: 5 } }],
    ["fail=0", { fail: 0 }],
    ["fail=0.0", { fail: 0 }],
    ["fail=.5", { fail: 0.5 }],
    ["fail=1", { fail: 1 }],
    ["fail=1.0", { fail: 1 }],
    ["seed=0", { seed: 0 }],
    ["seed=007", { seed: 7 }],
    ["seed=9007199254740991", { seed: Number.MAX_SAFE_INTEGER }],
    ["body=CUT", { body: "cut" }],
    ["delay=1, fail=0.1, seed=4", { delay: { min: 1, max: 1 }, fail: 0.1, seed: 4 }],
    ["code=503, code=404", { code: 503 }],
    ["on=3", { on: { pages: [{ min: 3, max: 3 }], last: false } }],
    [
      "on=3,7-9,last, code=404",
      {
        on: {
          pages: [
            { min: 3, max: 3 },
            { min: 7, max: 9 },
          ],
          last: true,
        },
        code: 404,
      },
    ],
    ['on="3,LAST"', { on: { pages: [{ min: 3, max: 3 }], last: true } }],
    [
      "on=records?page=4,6",
      {
        on: {
          pages: [
            { min: 4, max: 4 },
            { min: 6, max: 6 },
          ],
          last: false,
        },
      },
    ],
    ["outage=3/10", { outage: { down: 3, of: 10 } }],
    ["until=2030-01-31T12:00:00Z", { until: Date.UTC(2030, 0, 31, 12) }],
    ["cut=0, rate=100, hang", { cut: 0, rate: 100, hang: true }],
    ["retry-after=date", { "retry-after": "date" }],
    ["retry-after=0", { "retry-after": 0 }],
    ["rows=swap, next=null, record=float", { rows: "swap", next: "null", record: "float" }],
    ["count=+1", { count: 1 }],
    ["count= 1", { count: 1 }],
    ["count=-12", { count: -12 }],
    ["type=text/html", { type: "text/html" }],
    ["grow=15/m, strict", { grow: { records: 15, unit: "m" }, strict: true }],
    ["odata.maxpagesize=5, return=minimal, handling=strict, safe", {}],
  ])("%j", (text, options) => {
    expect(read(text)).toEqual({ options, warnings: [] });
  });

  test.each(BODY_FAULTS)("body=%s", (body) =>
    expect(read(`body=${body}`)).toEqual({ options: { body }, warnings: [] }),
  );
});

describe("invalid options are ignored, with a warning", () => {
  test.each([
    "code",
    "code=",
    "code=399",
    "code=600",
    "code=200",
    "code=5e2",
    "code=503.0",
    "code=-503",
    "code=0x1F7",
    'code="503',
    "code=503 x",
    "delay",
    "delay=-1",
    "delay=10001",
    "delay=5-1",
    "delay=1-10001",
    "delay=1-2-3",
    "delay=1-",
    "delay=-",
    "delay=1.5",
    "delay=1s",
    "fail",
    "fail=-0.1",
    "fail=1.1",
    "fail=10%",
    "fail=.",
    "fail=1e-1",
    "fail=NaN",
    "fail=Infinity",
    "seed=-1",
    "seed=1.5",
    "seed=9007199254740993",
    "seed=x",
    "body",
    "body=broken",
    "body=constructor",
    "on=",
    "on=0",
    "on=first",
    "on=5-3",
    "on=cameras?page=3",
    "outage=3",
    "outage=10/3",
    "outage=0/5",
    "outage=1/2/3",
    "until=tomorrow",
    "until=2030-01-31",
    "until=2030-13-31T12:00:00Z",
    "cut=-1",
    "rate=99",
    "rate=fast",
    "hang=1",
    "retry-after=soon",
    "retry-after=-1",
    "rows=add",
    "count=0",
    "count=+0",
    "count=many",
    "count=1.5",
    "next=previous",
    "record=string",
    "type=html",
    "type=a/b/c",
    "grow=15",
    "grow=0/s",
    "grow=1/d",
    "strict=yes",
  ])("%s", (text) => {
    const { warnings, options } = read(text);
    expect(Object.values(options).every((value) => value === undefined)).toBe(true);
    const [name] = text.split("=");
    const { value } = OPTION_DOCS.find((one) => one.name === name)!;
    expect(warnings).toEqual([`${text} is ignored: ${name} must be ${value}`]);
  });

  test("even if a valid value of the same option follows, because only the first value counts", () => {
    expect(read("code=x, code=503")).toMatchObject({
      options: { code: undefined },
      warnings: [expect.any(String)],
    });
  });

  test("one by one, and the valid options still apply", () => {
    expect(read("code=1, delay=5, fail=2")).toMatchObject({
      options: { code: undefined, delay: { min: 5, max: 5 }, fail: undefined },
      warnings: [expect.stringContaining("code=1"), expect.stringContaining("fail=2")],
    });
  });

  test("and warnings are always short printable ASCII, because they are sent in a header", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary", maxLength: 2_000 }),
      fc.constantFrom("\r\nSet-Cookie: a=b", "é".repeat(500), "\u2028", "\0"),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...OPTION_DOCS), value)), (sent) => {
        const text = sent.map(([{ name }, value]) => `${name}=${value}`).join(",");
        const warning = read(text).warnings.join("; ");
        expect(warning).toMatch(/^[\x20-\x7e]{0,4000}$/);
      }),
    );
  });
});

describe("an unknown preference is ignored, with a warning", () => {
  test.each([
    ["dealy=5", ", did you mean delay?"],
    ["cod=503", ", did you mean code?"],
    ["retryafter=1", ", did you mean retry-after?"],
    ["outages=1/2", ", did you mean outage?"],
    ["speed=9", ", did you mean seed?"],
    ["x-code=503", ", did you mean code?"],
    ["something=else", ""],
  ])("%s", (text, hint) => {
    expect(read(text).warnings).toEqual([`${text} is ignored: unknown preference${hint}`]);
  });

  test("but a response lists at most five warnings", () => {
    const names = Array.from({ length: 50 }, (_, index) => `unknown${index}`);
    expect(read(names.join(",")).warnings).toHaveLength(5);
  });
});

describe("the documentation of the options", () => {
  test.each(OPTION_DOCS)("the example $example is valid", ({ name, example }) => {
    const { warnings, options } = read(example);
    expect(warnings).toEqual([]);
    expect(options[name]).toBeDefined();
  });

  test("contains every option", () => {
    const { options } = read("");
    expect(OPTION_DOCS.map(({ name }) => name).toSorted()).toEqual(Object.keys(options).toSorted());
  });

  test("matches the table in docs/mock.md", async () => {
    const text = await readFile("docs/mock.md", "utf8");
    const row = ({ value, description, example }: (typeof OPTION_DOCS)[number]) =>
      `| \`${example}\` | ${description} | ${value} |\n`;
    expect(OPTION_DOCS.filter((one) => !text.includes(row(one)))).toEqual([]);
  });
});
