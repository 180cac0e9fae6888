import { globSync, readFileSync } from "node:fs";
import { analyse } from "scslre";
import { describe, expect, test, vi } from "vitest";
import { parseAst } from "vitest/node";

interface Found {
  patterns: RegExp[];
  /** How many patterns the file creates with `RegExp(...)`. */
  created: number;
}

/** Finds the patterns in the syntax tree of a file. */
function findPatterns(node: unknown, found: Found): Found {
  if (typeof node !== "object" || node === null) return found;
  const { type, regex, callee }: Record<string, unknown> = { ...node };
  if (type === "Literal" && regex)
    found.patterns.push(new RegExp(Object(regex).pattern, Object(regex).flags));
  if (Object(callee).name === "RegExp") found.created++;
  for (const child of Object.values(node)) findPatterns(child, found);
  return found;
}

const files = globSync("{src,tools}/**/*.{ts,tsx}").map((file) => {
  const tree = parseAst(readFileSync(file, "utf8"), { lang: file.endsWith("x") ? "tsx" : "ts" });
  return { file, ...findPatterns(tree, { patterns: [], created: 0 }) };
});

/** Why an engine that backtracks can take more than linear time for a pattern. */
const findReasons = ({ source, flags }: RegExp) =>
  analyse({ source, flags }).reports.map(({ type, exponential }) =>
    exponential ? `${type}, exponential` : type,
  );

describe("no pattern takes more than linear time, because a request or a file can be long:", () => {
  test.each(files.flatMap(({ file, patterns }) => patterns.map((pattern) => ({ file, pattern }))))(
    "$pattern in $file",
    ({ pattern }) => expect(findReasons(pattern)).toEqual([]),
  );

  test.each(files.filter(({ created }) => created > 0))(
    "patterns that $file creates",
    async ({ file, created }) => {
      const patterns: RegExp[] = [];
      const record = class extends RegExp {
        constructor(source: string | RegExp, flags?: string) {
          super(source, flags);
          patterns.push(this);
        }
      };
      vi.stubGlobal("RegExp", record);
      // The query loads the file once more.
      await import(`../../${file}?recorded`).finally(() => vi.unstubAllGlobals());
      expect(patterns.length).toBeGreaterThanOrEqual(created);
      for (const pattern of patterns) expect(findReasons(pattern)).toEqual([]);
    },
  );

  test.each([/^\d*\.?\d+$/, /^0+|0+$/, /(?:a|a)*b/])("but one such as %s would", (pattern) =>
    expect(findReasons(pattern)).not.toEqual([]),
  );
});
