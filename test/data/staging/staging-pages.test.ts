import { expect, test } from "vitest";
import { makeRecords } from "../../records/sample.ts";
import { stageFiles } from "./stage-files.ts";

const records = makeRecords(45).reverse();
const link = (page: number) => `http://localhost/api/tf1/records/?format=api&page=${page}`;

/** A page of the collection, as the service responds with it. */
function makePage(number: number, changes: object = {}) {
  const results = records.slice(15 * (number - 1), 15 * number);
  const [next, previous] = [number < 3 ? link(number + 1) : null, number > 1 ? link(number - 1) : null];
  return { count: 45, next, previous, results, ...changes };
}

const compact = (pages: object[]) => pages.map((page) => `${JSON.stringify(page)}\n`).join("");
const pretty = (pages: object[]) => pages.map((page) => JSON.stringify(page, null, 2)).join("\n");

const HOLDS_30 = "a: the pages hold 30 records, but count 45";

test.each<[string, object[], string[]]>(
  // biome-ignore format: one case per line
  [
    ["all pages", [makePage(1), makePage(2), makePage(3)], []],
    ["all pages in another order", [makePage(3), makePage(1), makePage(2)], []],
    ["pages without count and links", [{ results: records.slice(0, 15) }], []],
    ["a gap", [makePage(1), makePage(3)], [HOLDS_30]],
    ["the first pages only", [makePage(1), makePage(2)], [HOLDS_30]],
    [
    "a growing collection",
    [makePage(1), makePage(2, { count: 46 }), makePage(3, { count: 46 })],
    [
      "a: the pages count 45 to 46 records, so the collection changed between them",
      "a: the pages hold 45 records, but count 46",
    ],
  ],
    ["more records than their count", [makePage(1), makePage(2), makePage(3)].map((page) => ({ ...page, count: 44 })), ["a: the pages hold 45 records, but count 44"]],
  ],
)("reports pages that do not hold the collection: %s", async (_, pages, problems) => {
  for (const write of [compact, pretty]) {
    const warnings: string[] = [];
    const lenient = await stageFiles({ a: write(pages) }, { warn: (line) => warnings.push(line) });
    expect(lenient.problemCount).toBe(0);
    expect(warnings.map((line) => line.replace(/\/.*\//, ""))).toEqual(
      problems.map((problem) => `Warning: ${problem}`),
    );
    const strict = await stageFiles({ a: write(pages) }, { strict: true });
    expect(strict.problems).toEqual(problems);
  }
});

test("pages may be in several files", async () => {
  const files = { a: compact([makePage(1)]), b: compact([makePage(2)]), c: compact([makePage(3)]) };
  expect(await stageFiles(files, { strict: true })).toMatchObject({ problems: [], count: 45 });
});
