import { describe, expect, test } from "vitest";
import { parseFaultOptions, requireFaultOptions } from "../../src/faults/fault-options.ts";
import { formatRules } from "../../src/faults/rules.ts";
import { createFaultsService, getTarget, LAST_PAGE, setTime } from "./faults-service.ts";

const SEQUENCE = "code=503,times=1,else,code=429,times=1,else,body=cut,times=1";

describe("options are divided into rules", () => {
  test("at each else, in the header, in the query, and as a list of objects", () => {
    const expected = [
      { code: 503, times: 1 },
      { code: 429, times: 1 },
      { body: "cut", times: 1 },
    ];
    const header = parseFaultOptions(
      "code=503, times=1, Else, code=429;x, times=1, ELSE;x, body=cut, times=1",
      [],
    );
    expect([header.rules, header.warnings]).toEqual([expected, []]);
    expect(parseFaultOptions("", [SEQUENCE])).toMatchObject({ rules: expected, errors: [] });
    expect(parseFaultOptions("", SEQUENCE.split(","))).toMatchObject({ rules: expected, errors: [] });
    expect(requireFaultOptions("prefer", header.rules).rules).toEqual(expected);
    expect(requireFaultOptions("prefer", formatRules(header.rules)).rules).toEqual(expected);
  });

  test.each([{ prefer: [] }, { prefer: [{}] }, { prefer: {} }, { prefer: "" }])(
    "or there are none: $prefer",
    ({ prefer }) => expect(requireFaultOptions("prefer", prefer).rules).toEqual([]),
  );

  test.each([
    {
      name: "no condition",
      prefer: "code=503,else,code=429",
      first: [{ code: 503 }],
      problem: /^Rule 1 needs a condition \(on, until, times, rate, fail\): /,
    },
    {
      name: "only grow and seed",
      prefer: "grow=15/m,seed=1,else,code=429",
      first: [{ grow: { records: 15, per: "m" }, seed: 1 }],
      problem: /^Rule 1 needs/,
    },
    { name: "only none", prefer: "none,else,code=429", first: [{ none: true }], problem: /^Rule 1 needs/ },
    {
      name: "no option before the first else",
      prefer: "else,code=503",
      first: [{ code: 503 }],
      problem: /^Rule 1 has no option/,
    },
    {
      name: "no option after the last",
      prefer: "on=3,else",
      first: [{ on: [3] }],
      problem: /^Rule 2 has no option/,
    },
    {
      name: "no option between two",
      prefer: "on=3,else,else,code=503",
      first: [{ on: [3] }, { code: 503 }],
      problem: /^Rule 2 has no option\.$/,
    },
    {
      name: "two values of grow",
      prefer: "grow=1/m,times=1,else,grow=2/m",
      first: [{ grow: { records: 1, per: "m" }, times: 1 }, { grow: { records: 2, per: "m" } }],
      problem: /^grow belongs to all rules/,
    },
    {
      name: "two values of seed",
      prefer: "seed=1,times=1,else,seed=2",
      first: [{ seed: 1, times: 1 }, { seed: 2 }],
      problem: /^seed belongs to all rules/,
    },
    {
      name: "a value of else",
      prefer: "code=503,times=1,else=2",
      first: [{ code: 503, times: 1 }],
      problem: /^else=2 is invalid/,
    },
    {
      name: "21 rules",
      prefer: `${"times=1,else,".repeat(20)}on=3`,
      first: Array(20).fill({ times: 1 }),
      problem: /^21 rules .* limit is 20\.$/,
    },
  ])("$name is an error in the query, and a warning in the header: $prefer", ({ prefer, first, problem }) => {
    const problems = [expect.stringMatching(problem)];
    expect(parseFaultOptions("", [prefer]).errors).toEqual(problems);
    expect(parseFaultOptions(prefer, [])).toMatchObject({ rules: first, warnings: problems });
  });

  test("a list of objects has the same errors", () => {
    expect(() => requireFaultOptions("prefer", [{ code: 503 }, { code: 429 }])).toThrow(
      "Rule 1 needs a condition",
    );
    expect(() => requireFaultOptions("prefer", [{}, { code: 429 }])).toThrow("Rule 1 has no option");
    expect(() =>
      requireFaultOptions("prefer", [
        { grow: { records: 1, per: "s" }, times: 1 },
        { grow: { records: 2, per: "s" } },
      ]),
    ).toThrow("grow belongs to all rules");
  });

  test("a header whose first rule has no valid option does not replace the query", () =>
    expect(parseFaultOptions("dealy=5, else, code=503", ["code=404"]).rules).toEqual([{ code: 404 }]));

  test("two equal values of grow or seed are one", () =>
    expect(parseFaultOptions("", ["seed=4,fail=0.5,else,seed=4,code=404"]).errors).toEqual([]));
});

interface Row {
  name: string;
  prefer: string;
  pages: (number | string)[];
  expected: string[];
  settings?: object;
}

/** Requests pages one after the other. Returns the status of each, and what was applied. */
async function request({ prefer, pages, settings = {} }: Row): Promise<string[]> {
  const { fetch } = await createFaultsService(settings);
  const results: string[] = [];
  for (const page of pages) {
    const { status, headers } = await fetch(getTarget(page), { headers: prefer === "" ? {} : { prefer } });
    const applied = headers.get("preference-applied");
    results.push([status, ...(applied === null ? [] : [applied])].join(" "));
  }
  return results;
}

test.each<Row>([
  {
    name: "a sequence, because a rule whose times are used up is passed over",
    prefer: SEQUENCE,
    pages: [2, 2, 2, 2, 2],
    expected: ["503 code=503, times=1", "429 code=429, times=1", "200 body=cut, times=1", "200", "200"],
  },
  {
    name: "each page has its own sequence",
    prefer: "code=503,times=1,else,code=429,times=1",
    pages: [2, 3, 2, 3, 2],
    expected: [
      "503 code=503, times=1",
      "503 code=503, times=1",
      "429 code=429, times=1",
      "429 code=429, times=1",
      "200",
    ],
  },
  {
    name: "a table of pages",
    prefer: "on=3,code=503,else,on=7,last,count=1",
    pages: [3, 7, 8, "last", LAST_PAGE, 99],
    expected: [
      "503 code=503, on=3",
      '200 count=1, on="7,last"',
      "200",
      '200 count=1, on="7,last"',
      '200 count=1, on="7,last"',
      "404",
    ],
  },
  {
    name: "the last rule can apply to all others",
    prefer: "on=3,code=503,else,count=1",
    pages: [3, 4],
    expected: ["503 code=503, on=3", "200 count=1"],
  },
  {
    name: "none is a rule without a fault",
    prefer: "on=3,none,else,code=503",
    pages: [2, 3, 4],
    expected: ["503 code=503", "200", "503 code=503"],
  },
  {
    name: "times counts only requests that reach the rule",
    prefer: "on=3,code=500,times=1,else,code=503,times=2",
    pages: [3, 3, 3, 3],
    expected: ["500 code=500, on=3, times=1", "503 code=503, times=2", "503 code=503, times=2", "200"],
  },
  {
    name: "each rule with conditions but without a fault has the default fault",
    prefer: "on=3,else,on=4,delay=1,else,on=5,none",
    pages: [3, 4, 5],
    expected: ["503 code=503, on=3", "200 delay=1, on=4", "200"],
  },
  {
    name: "grow belongs to all rules, and is shown by all pages",
    prefer: "code=503,times=1,else,grow=20/s,code=404,times=1",
    pages: [2, 2, 2],
    expected: ["503 code=503, times=1", "404 code=404, times=1", '200 grow="20/s"'],
  },
  {
    name: "a rate counts each request once, whichever rules have its unit",
    prefer: "rate=2/m,code=500,times=1,else,rate=3/m,else,rate=1/h,code=502,times=1",
    pages: [2, 2, 2, 2],
    expected: [
      "200",
      '502 code=502, times=1, rate="1/h"',
      '500 code=500, times=1, rate="2/m"',
      '429 code=429, rate="3/m"',
    ],
  },
  {
    name: "the rules of PREFER",
    prefer: "",
    settings: { PREFER: SEQUENCE },
    pages: [2, 2],
    expected: ["503 code=503, times=1", "429 code=429, times=1"],
  },
])("$name: $prefer", async (row) => {
  setTime(0);
  expect(await request(row)).toEqual(row.expected);
});

describe("fail", () => {
  const pages = Array.from({ length: LAST_PAGE }, (_, index) => index + 1);
  const count = (results: string[], status: string) =>
    results.filter((result) => result.startsWith(status)).length;

  test("has a random number for each rule, so that the second of two equal shares is chosen, too", async () => {
    const results = await request({
      name: "",
      prefer: "code=500,fail=0.5,seed=1,else,code=502,fail=0.5",
      pages,
      expected: [],
    });
    for (const status of ["500", "502", "200"]) expect(count(results, status)).toBeGreaterThan(2);
  });

  test("of the first rule chooses the same pages as without a second one", async () => {
    const alone = await request({ name: "", prefer: "fail=0.2, seed=4", pages, expected: [] });
    const first = await request({
      name: "",
      prefer: "fail=0.2, seed=4, else, code=502, on=1",
      pages,
      expected: [],
    });
    expect(first.map((result) => result.startsWith("503"))).toEqual(
      alone.map((result) => result.startsWith("503")),
    );
  });

  test.each([
    ["the first such rule delays if no rule applies", "delay=1,fail=0,else,delay=2,fail=0", "200 delay=1"],
    ["but not if one applies", "delay=1,fail=0,else,code=404", "404 code=404"],
  ])("that is missed: %s", async (_, prefer, expected) =>
    expect(await request({ name: "", prefer, pages: [2], expected: [] })).toEqual([expected]),
  );
});

test("parallel clients with a value of their own in the URL get a sequence each", async () => {
  const { fetch } = await createFaultsService();
  const crawl = async (run: number) => {
    const statuses: number[] = [];
    for (let retry = 0; retry < 4; retry++)
      statuses.push(
        (await fetch(`${getTarget(2)}&run=${run}&prefer=code=503,times=1,else,code=429,times=1`)).status,
      );
    return statuses;
  };
  expect(await Promise.all([1, 2, 3, 4].map(crawl))).toEqual(Array(4).fill([503, 429, 200, 200]));
});
