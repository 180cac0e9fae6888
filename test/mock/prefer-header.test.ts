import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Preference, readPreferHeader } from "../../src/mock/prefer-header.ts";

const one = (name: string, value = "", text = value === "" ? name : `${name}=${value}`): Preference => ({
  name,
  value,
  text,
});

describe("the preferences of a Prefer header", () => {
  test.each<[string, Preference[]]>([
    ["", []],
    [" ", []],
    [",, ,", []],
    ["code=503", [one("code", "503")]],
    ["code = 503", [one("code", "503", "code = 503")]],
    ["\tcode\t=\t503\t", [one("code", "503", "code\t=\t503")]],
    ["CODE=503", [one("code", "503", "CODE=503")]],
    ["code=503,delay=1", [one("code", "503"), one("delay", "1")]],
    [" , code=503 ,, delay=1 ,", [one("code", "503"), one("delay", "1")]],
    ["code=503, Code=404", [one("code", "503"), one("code", "404", "Code=404")]],
    ["respond-async", [one("respond-async")]],
    ["code=", [one("code", "", "code=")]],
    ['code=""', [one("code", "", 'code=""')]],
    ['code="503"', [one("code", "503", 'code="503"')]],
    [String.raw`code="\5\"0\\3"`, [one("code", String.raw`5"0\3`, String.raw`code="\5\"0\\3"`)]],
    ['a="1,2;3=4", b', [one("a", "1,2;3=4", 'a="1,2;3=4"'), one("b")]],
    ["code=503; retry; wait=10", [one("code", "503")]],
    ["code=503;;", [one("code", "503")]],
    ['a;b="c,d;e", f', [one("a"), one("f")]],
    [
      "handling=lenient, wait=100, respond-async",
      [one("handling", "lenient"), one("wait", "100"), one("respond-async")],
    ],
    ["code: 503", [one("code", ": 503", "code: 503")]],
    ["code 503", [one("code", "503", "code 503")]],
    ["code=5 3", [one("code", "5 3")]],
    ["code=503=4", [one("code", "503=4")]],
    ['code="503', [one("code", '"503')]],
    ['code="503\\', [one("code", '"503\\')]],
    ['code="5"3', [one("code", '"5"3')]],
    ["(code)=503, =1, ;a, é=1, ok", [one("ok")]],
    ["__proto__=1", [one("__proto__", "1")]],
  ])("%j", (text, preferences) => expect(readPreferHeader(text)).toEqual(preferences));
});

const anything = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom("code", "delay", "=", ",", ";", '"', "\\", " ", "\t", "503", "é", "\0", "\n"), {
      maxLength: 60,
    })
    .map((parts) => parts.join("")),
);

test("the parser never throws, and every name is a token in lower case", () => {
  fc.assert(
    fc.property(anything, (text) => {
      for (const { name } of readPreferHeader(text)) expect(name).toMatch(/^[!#$%&'*+.^_`|~0-9a-z-]+$/);
    }),
    { numRuns: 2_000 },
  );
});

test("reading a quoted value returns the original value", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const quoted = `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
      expect(readPreferHeader(`first, name=${quoted}; a=${quoted}, last`)).toMatchObject([
        { name: "first" },
        { name: "name", value },
        { name: "last" },
      ]);
    }),
  );
});

test.each(['"', "\\", '"\\', 'a="', " ", ",", "a=b;", 'a="\\"'])(
  "a header of a million characters that repeats %j is read quickly",
  (text) => {
    const begun = performance.now();
    readPreferHeader(text.repeat(1_000_000 / text.length));
    // Reading takes milliseconds. With quadratic time it would take hours.
    expect(performance.now() - begun).toBeLessThan(60_000);
  },
);
