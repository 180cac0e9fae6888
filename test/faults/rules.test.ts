import { describe, expect, test } from "vitest";
import { parseFaultOptions, requireFaultOptions } from "../../src/faults/fault-options.ts";
import { formatRules, type Rule } from "../../src/faults/rules.ts";
import { LAST_PAGE, sendAll, setTime } from "./faults-service.ts";

const SEQUENCE = "code=503,times=1,else,code=429,times=1,else,body=cut,times=1";

describe("options are divided into rules", () => {
  test("at each else, in the header, in the query, and as a list of objects", () => {
    const expected = [{ code: 503 }, { code: 429 }, { body: "cut" }].map((fault) => ({ ...fault, times: 1 }));
    const spelled = "code=503, times=1, Else, code=429, times=1, ELSE, body=cut, times=1";
    const header = parseFaultOptions(spelled, []);
    expect([header.rules, header.warnings]).toEqual([expected, []]);
    expect(parseFaultOptions("", [SEQUENCE])).toMatchObject({ rules: expected, errors: [] });
    expect(parseFaultOptions("", SEQUENCE.split(","))).toMatchObject({ rules: expected, errors: [] });
    expect(requireFaultOptions("prefer", header.rules)).toEqual(expected);
    expect(requireFaultOptions("prefer", formatRules(header.rules))).toEqual(expected);
  });

  test.each([{ prefer: [] }, { prefer: [{}] }, { prefer: {} }, { prefer: "" }])(
    "or there are none: $prefer",
    ({ prefer }) => expect(requireFaultOptions("prefer", prefer)).toEqual([]),
  );

  // biome-ignore format: a table of cases
  test.each<[name: string, prefer: string, first: Rule[], ...problems: RegExp[]]>([
    ["no condition", "code=503,else,code=429", [{ code: 503 }], /^Rule 1 needs a condition \(on, until, times, rate, fail\): /],
    ["only fail=1", "code=503,fail=1,else,code=429", [{ code: 503, fail: 1 }], /^Rule 1 needs a condition/],
    ["only grow and seed", "grow=15/m,seed=1,else,code=429", [{ grow: { records: 15, per: "m" }, seed: 1 }], /^Rule 1 needs/],
    ["only none", "none,else,code=429", [{ none: true }], /^Rule 1 needs/],
    ["no option before the first else", "else,code=503", [{ code: 503 }], /^Rule 1 has no option/],
    ["no option after the last", "on=3,else", [{ on: [3] }], /^Rule 2 has no option/],
    ["no option between two", "on=3,else,else,code=503", [{ on: [3] }, { code: 503 }], /^Rule 2 has no option\.$/],
    ["none with an error", "on=3,none,code=503", [{ on: [3], code: 503 }], /^Rule 1 has none and a fault/],
    ["none with a time for a retry", "none,retry-after=5", [{ "retry-after": 5 }], /^Rule 1 has none and a fault/],
    ["two values of grow", "grow=1/m,times=1,else,grow=2/m", [{ grow: { records: 1, per: "m" }, times: 1 }, { grow: { records: 2, per: "m" } }], /^grow belongs to all rules/],
    ["two values of seed", "seed=1,times=1,else,seed=2", [{ seed: 1, times: 1 }, { seed: 2 }], /^seed belongs to all rules/],
    ["a value of else", "code=503,times=1,else=2", [{ code: 503, times: 1 }], /^else=2 is invalid/],
    ["21 rules", `${"times=1,else,".repeat(20)}on=3`, Array(20).fill({ times: 1 }), /^21 rules .* limit is 20\.$/],
    ["two problems", "else,code=503,else,code=404", [{ code: 503 }], /^Rule 1 has no option/, /^Rule 2 needs a condition/],
    ["a rule without a valid option, which counts as absent", "dealy=5,else,code=503", [{ code: 503 }], /^dealy=5 is unknown/],
    ["no valid option", "dealy=5,else,tims=3", [], /^dealy=5 is unknown/, /^tims=3 is unknown/],
    ["no problem: two equal values of seed", "seed=4,fail=0.5,else,seed=4", [{ seed: 4, fail: 0.5 }, { seed: 4 }]],
  ])("errors in the query are warnings in the header: %s: %s", (_, prefer, first, ...expected) => {
    const problems = expected.map((problem) => expect.stringMatching(problem));
    expect(parseFaultOptions("", [prefer]).errors).toEqual(problems);
    const { rules, warnings } = parseFaultOptions(prefer, []);
    expect([rules, warnings]).toEqual([first, problems]);
  });
});

// biome-ignore format: a table of cases
test.each<[name: string, prefer: string, pages: (number | string)[], expected: string[]]>([
  ["rules with times are a sequence", SEQUENCE, [2, 2, 2, 2], ["503 code=503, times=1", "429 code=429, times=1", "200 body=cut, times=1", "200"]],
  ["each page has its own sequence", "code=503,times=1,else,code=429,times=1", [2, 3, 2, 2], ["503 code=503, times=1", "503 code=503, times=1", "429 code=429, times=1", "200"]],
  ["a table of pages", "on=3,code=503,else,on=7,last,count=1", [3, 7, 8, "last", LAST_PAGE, 99], ["503 code=503, on=3", '200 count=1, on="7,last"', "200", '200 count=1, on="7,last"', '200 count=1, on="7,last"', "404"]],
  ["the last rule can apply to all others", "on=3,code=503,else,count=1", [3, 4], ["503 code=503, on=3", "200 count=1"]],
  ["none is a rule without a fault", "on=3,none,else,code=503", [2, 3, 4], ["503 code=503", "200 on=3, none", "503 code=503"]],
  ["times counts only requests that reach the rule", "on=3,code=500,times=1,else,code=503,times=2", [3, 3, 3, 3], ["500 code=500, on=3, times=1", "503 code=503, times=2", "503 code=503, times=2", "200"]],
  ["a rule with conditions only, or retry-after, has the default fault", "on=3,else,on=4,delay=1,else,on=5,none,else,on=6,retry-after=9", [3, 4, 5, 6], ["503 code=503, on=3", "200 delay=1, on=4", "200 on=5, none", "503 code=503, retry-after=9, on=6"]],
  ["a rule that fail excludes does not delay", "delay=1,fail=0,else,code=404", [2], ["404 code=404"]],
  ["grow belongs to all rules, and is shown by all pages", "code=503,times=1,else,grow=20/s,code=404,times=1", [2, 2, 2], ["503 code=503, times=1", "404 code=404, times=1", '200 grow="20/s"']],
  [
    "a rate counts each request once, whichever rules have its unit", "rate=2/m,code=500,times=1,else,rate=3/m,else,rate=1/h,code=502,times=1",
    [2, 2, 2, 2], ["200", '502 code=502, times=1, rate="1/h"', '500 code=500, times=1, rate="2/m"', '429 code=429, rate="3/m"'],
  ],
])("%s: %s", async (_, prefer, pages, expected) => {
  setTime(0);
  const responses = await sendAll(prefer, pages);
  const results = responses.map(({ status, headers }) => `${status} ${headers.get("preference-applied") ?? ""}`);
  expect(results.map((result) => result.trim())).toEqual(expected);
});
