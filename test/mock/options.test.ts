import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BODY_FAULTS, OPTION_DOCS, readOptions } from "../../src/mock/options.ts";
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
  ])("%s", (text) => {
    const { warnings, options } = read(text);
    expect(Object.values(options).every((value) => value === undefined)).toBe(true);
    const [name] = text.split("=");
    const { value } = OPTION_DOCS.find((one) => one.name === name)!;
    expect(warnings).toEqual([`${text} is ignored: ${name} must be ${value}`]);
  });

  test("also if the option is repeated, because the first one counts", () => {
    expect(read("code=x, code=503")).toMatchObject({
      options: { code: undefined },
      warnings: [expect.any(String)],
    });
  });

  test("each separately, and the other options count", () => {
    expect(read("code=1, delay=5, fail=2")).toMatchObject({
      options: { code: undefined, delay: { min: 5, max: 5 }, fail: undefined },
      warnings: [expect.stringContaining("code=1"), expect.stringContaining("fail=2")],
    });
  });

  test("the warnings are always short and printable ASCII, because a header carries them", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary", maxLength: 2_000 }),
      fc.constantFrom("\r\nSet-Cookie: a=b", "é".repeat(500), "\u2028", "\0"),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...OPTION_DOCS), value)), (sent) => {
        const text = sent.map(([{ name }, value]) => `${name}=${value}`).join(",");
        const warning = read(text).warnings.join("; ");
        expect(warning).toMatch(/^[\x20-\x7e]{0,1000}$/);
      }),
    );
  });
});

describe("the documentation of the options", () => {
  test.each(OPTION_DOCS)("the example $example is valid", ({ name, example }) => {
    const { warnings, options } = read(example);
    expect(warnings).toEqual([]);
    expect(options[name]).toBeDefined();
  });

  test("is complete", () => {
    const { options } = read("");
    expect(OPTION_DOCS.map(({ name }) => name).toSorted()).toEqual(Object.keys(options).toSorted());
  });

  test("is the table in docs/mock.md", async () => {
    const text = await readFile("docs/mock.md", "utf8");
    const row = ({ value, description, example }: (typeof OPTION_DOCS)[number]) =>
      `| \`${example}\` | ${description} | ${value} |\n`;
    expect(OPTION_DOCS.filter((one) => !text.includes(row(one)))).toEqual([]);
  });
});
