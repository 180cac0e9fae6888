import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Metafile } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { runWrangler } from "../tools/wrangler.ts";
import { createFolder } from "./temporary-folder.ts";

const MOST_BYTES = 45 * 1024;

const folder = createFolder();
let bundle: string;
/** The files of the bundle by their paths, as esbuild describes them. */
let inputs: Metafile["inputs"];
beforeAll(async () => {
  await runWrangler(["deploy", "--dry-run", "--outdir", folder, "--metafile"]);
  bundle = await readFile(join(folder, "index.js"), "utf8");
  ({ inputs } = JSON.parse(await readFile(join(folder, "bundle-meta.json"), "utf8")));
});

test("the worker stays under 45 KiB gzipped", () => {
  expect(gzipSync(bundle).byteLength).toBeLessThan(MOST_BYTES);
});

test("the worker contains no schema library", () => {
  // The name of the registry that all copies of zod share.
  expect(bundle).not.toContain("__zod_globalRegistry");
});

/** The files that are evaluated when a worker starts: `import()` evaluates its file on the first use only. */
function findStarted(path = "src/index.ts", started = new Set<string>()): Set<string> {
  if (started.has(path)) return started;
  started.add(path);
  for (const { kind, path: imported, external } of inputs[path]?.imports ?? [])
    if (kind !== "dynamic-import" && !external) findStarted(imported, started);
  return started;
}

test.each([
  ["the generator", /^src\/generator\/|^src\/growth\/(?!trigger)/],
  ["web pages", /\.tsx$|jsx-runtime/],
])("%s is part of the worker, but not evaluated when it starts", (_, pattern) => {
  expect(Object.keys(inputs).filter((path) => pattern.test(path))).not.toEqual([]);
  expect([...findStarted()].filter((path) => pattern.test(path))).toEqual([]);
});
