import fc from "fast-check";
import { expect, test } from "vitest";
import { parsePreferences } from "../../src/faults/prefer-header.ts";

test.each<[string, ...[name: string, value: string][]]>([
  [" ,, ,"],
  ["\tCODE\t=\t503\t", ["code", "503"]],
  [" , code=503 ,, delay=1 ,", ["code", "503"], ["delay", "1"]],
  ["code=", ["code", ""]],
  [String.raw`code="\5\"0\\3"`, ["code", String.raw`5"0\3`]],
  ['a="1,2;3=4", b', ["a", "1,2;3=4"], ["b", ""]],
  ['a;b="c,d;e", f', ["a", ';b="c,d;e"'], ["f", ""]],
  ["code=503; times=2", ["code", "503; times=2"]],
  ["code: 503", ["", "code: 503"]],
  ["code=503=4", ["code", "503=4"]],
  ['code="503', ["code", '"503']],
  ["on=3,7-9, last", ["on", "3,7-9,last"]],
  ["(code)=503, ;a, ok", ["", "(code)=503"], ["", ";a"], ["ok", ""]],
  ["__proto__=1", ["__proto__", "1"]],
])("the preferences of the header %j", (text, ...preferences) =>
  expect(parsePreferences(text).map(({ name, value }) => [name, value])).toEqual(preferences),
);

test("preferences are parsed without an exception for any header, and a quoted value is unquoted", () => {
  const part = fc.constantFrom("code", "on", "=", ",", ";", '"', "\\", " ", "\t", "503", "é", "\0", "\n");
  const joined = fc.array(part).map((parts) => parts.join(""));
  // As the unit "binary" of fast-check, which takes a second to create.
  const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));
  const anything = fc.oneof(fc.string({ unit: anyCharacter }), joined);
  fc.assert(
    fc.property(anything, (value) => {
      for (const { name } of parsePreferences(value)) expect(name).toMatch(/^[!#$%&'*+.^_`|~0-9a-z-]*$/);
      const quoted = `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
      expect(parsePreferences(`first, name=${quoted}, last`)).toMatchObject([
        { name: "first" },
        { name: "name", value },
        { name: "last" },
      ]);
    }),
    { numRuns: 1_000 },
  );
});

// The test takes milliseconds. With quadratic time it would take hours.
test.each(['"', '"\\', "a=b,", 'a="\\"'])("parsing takes linear time if %j is repeated", (text) => {
  expect(parsePreferences(text.repeat(1_000_000 / text.length)).length).toBeGreaterThan(0);
});
