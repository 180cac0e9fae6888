import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const files = globSync("{src,data,tools,test}/**/*.{ts,tsx}").sort();
const read = (file: string, pattern: RegExp) =>
  Array.from(readFileSync(file, "utf8").matchAll(pattern), ([, found]) => String(found));

/** The keys that more than one file has, with these files. */
function findRepeated(listKeys: (file: string) => string[]): Record<string, string[]> {
  const pairs = files.flatMap((file) =>
    [...new Set(listKeys(file))].map((key): [string, string] => [key, file]),
  );
  const groups = Array.from(Map.groupBy(pairs, ([key]) => key));
  return Object.fromEntries(
    groups
      .filter(([, found]) => found.length > 1)
      .map(([key, found]) => [key, found.map(([, file]) => file)]),
  );
}

test("an exported name means one thing", () => {
  const exported = /^export (?:declare )?(?:async )?(?:class|const|function\*?|interface|let|type) (\w+)/gm;
  expect(findRepeated((file) => read(file, exported))).toEqual({
    // Its types, and its code.
    createService: ["tools/package/index.d.ts", "tools/package/service.ts"],
  });
});

test("no declaration hides a global name, and no import hides an export of the project", () => {
  const declared = /^(?:export )?(?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm;
  const renamed = /^import \{.*\b(\w+) as \w+.*\} from "\./gm;
  const found = files.flatMap((file) => [
    ...read(file, declared).filter((name) => name in globalThis),
    ...read(file, renamed),
  ]);
  expect(found).toEqual([]);
});

test("contexts and middleware have the types of src/bindings.ts, because those of Hono have no bindings and variables", () => {
  const imported = /^import ([^"]+) from "hono(?!\/(?:utils|route|jsx)\b)|import\("hono/gm;
  const others = files.filter((file) => file.startsWith("src/") && file !== "src/bindings.ts");
  const found = new Set(others.flatMap((file) => read(file, imported)));
  expect([...found].sort()).toEqual(["type { Next }", "{ Hono }"]);
});

test("a file can be found by its name alone", () => {
  expect(findRepeated((file) => [basename(file).replace(/(\.d)?\.tsx?$/, "")])).toEqual({
    // What the worker and the package begin with.
    index: ["src/index.ts", "tools/package/index.d.ts"],
  });
});

test("no part of the project imports one that imports it, directly or through others", () => {
  const imports = new Map<string, Set<string>>();
  // A file of src/ itself is a part of its own. Otherwise a folder and the folders in it are one part.
  const getPart = (file: string) => (dirname(file) === "src" ? file : dirname(file));
  const isInside = (one: string, other: string) => `${one}/`.startsWith(`${other}/`);
  for (const file of files.filter((file) => !file.startsWith("test/"))) {
    const part = getPart(file);
    const paths = read(file, /(?:from|import\() ?"(\.[^"]+)"/g);
    const targets = paths.map((path) => getPart(join(dirname(file), path)));
    const others = targets.filter((target) => !isInside(part, target) && !isInside(target, part));
    imports.set(part, new Set([...(imports.get(part) ?? []), ...others]));
  }
  const reaches = (part: string, goal: string, seen = new Set<string>()): boolean =>
    Array.from(imports.get(part) ?? []).some(
      (next) => next === goal || (!seen.has(next) && reaches(next, goal, seen.add(next))),
    );
  expect(imports.size).toBeGreaterThan(10);
  expect([...imports.keys()].filter((part) => reaches(part, part))).toEqual([]);
});
