import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The modules that start a process or a browser. */
const STARTERS = /^(node:child_process|miniflare|wrangler|@playwright\/test|.*\/stores\/wrangler\.ts)$/;

/** The test files that start no process and no browser: neither they nor the files of test/ that they import do. */
export function findQuickFiles(): string[] {
  return globSync("test/**/*.test.ts", { exclude: ["test/browser/**"] }).filter(isQuick);
}

function isQuick(file: string): boolean {
  const imports = [...readFileSync(file, "utf8").matchAll(/\bfrom "(.+)"|\bimport\("(.+)"\)/g)].map(
    ([, from, dynamic]) => String(from ?? dynamic),
  );
  if (imports.some((name) => STARTERS.test(name))) return false;
  const helpers = imports.map((name) => (name.startsWith(".") ? join(dirname(file), name) : name));
  return helpers.filter((name) => name.startsWith("test/")).every(isQuick);
}
