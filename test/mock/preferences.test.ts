import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePrefer } from "../../src/mock/prefer.ts";
import { BODY_FAULTS, PREFERENCES, readPlan } from "../../src/mock/preferences.ts";

const read = (text: string) => readPlan(parsePrefer(text));

describe("what is asked for", () => {
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
  ])("%j", (text, plan) => {
    expect(read(text)).toEqual({ warnings: [], ...plan });
  });

  test.each(BODY_FAULTS)("body=%s", (body) => expect(read(`body=${body}`)).toEqual({ body, warnings: [] }));
});

describe("what is ignored, with a warning", () => {
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
    const { warnings, ...plan } = read(text);
    expect(Object.values(plan).every((value) => value === undefined)).toBe(true);
    const [name] = text.split("=");
    const { value } = PREFERENCES.find((one) => one.name === name)!;
    expect(warnings).toEqual([`${text} is ignored: ${name} must be ${value}`]);
  });

  test("a repeated preference too, since the first one counts", () => {
    expect(read("code=x, code=503")).toMatchObject({ code: undefined, warnings: [expect.any(String)] });
  });

  test("each on its own, and the others count", () => {
    expect(read("code=1, delay=5, fail=2")).toMatchObject({
      code: undefined,
      delay: { min: 5, max: 5 },
      fail: undefined,
      warnings: [expect.stringContaining("code=1"), expect.stringContaining("fail=2")],
    });
  });

  test("of whatever is sent, a header of printable ASCII that is not long", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary", maxLength: 2_000 }),
      fc.constantFrom("\r\nSet-Cookie: a=b", "é".repeat(500), "\u2028", "\0"),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...PREFERENCES), value)), (sent) => {
        const text = sent.map(([{ name }, value]) => `${name}=${value}`).join(",");
        const warning = read(text).warnings.join("; ");
        expect(warning).toMatch(/^[\x20-\x7e]{0,1000}$/);
      }),
    );
  });
});

describe("the list of preferences", () => {
  test.each(PREFERENCES)("the example $example is right", ({ name, example }) => {
    const { warnings, ...plan } = read(example);
    expect(warnings).toEqual([]);
    expect(plan[name]).toBeDefined();
  });

  test("is all there is", () => {
    const { warnings: _, ...plan } = read("");
    expect(PREFERENCES.map(({ name }) => name).toSorted()).toEqual(Object.keys(plan).toSorted());
  });

  test("stands in the documentation", async () => {
    const text = await readFile("docs/misbehaviour.md", "utf8");
    const row = ({ value, description, example }: (typeof PREFERENCES)[number]) =>
      `| \`${example}\` | ${description} | ${value} |\n`;
    expect(PREFERENCES.filter((one) => !text.includes(row(one)))).toEqual([]);
  });
});
