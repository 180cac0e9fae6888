import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Metafile } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { runWrangler } from "../tools/wrangler.ts";
import { createFolder } from "./temporary-folder.ts";

const MOST_BYTES = 100 * 1024;

const folder = createFolder();
/** The files of the bundle by their paths, as esbuild describes them. */
let inputs: Metafile["inputs"];
beforeAll(async () => {
  await runWrangler(["deploy", "--dry-run", "--outdir", folder, "--metafile"]);
  ({ inputs } = JSON.parse(await readFile(join(folder, "bundle-meta.json"), "utf8")));
});

test("the worker stays under 100 KiB gzipped", async () => {
  const bundle = await readFile(join(folder, "index.js"));
  expect(gzipSync(bundle).byteLength).toBeLessThan(MOST_BYTES);
});

test("schemas are built for the first that asks for the OpenAPI document, not when a worker starts", async () => {
  // Zod says so itself: its registry of schemas is there for all of its copies.
  Reflect.deleteProperty(globalThis, "__zod_globalRegistry");
  const hasZod = () => "__zod_globalRegistry" in globalThis;
  const { default: worker } = await import(pathToFileURL(join(folder, "index.js")).href);
  const ask = async (path: string, method = "GET") => {
    const response = await worker.fetch(new Request(`http://localhost${path}`, { method }), {});
    return response.status;
  };
  expect(await ask("/api/tf1/records/", "OPTIONS")).toBe(200);
  expect(await ask("/api/tf1/records/?page=0")).toBe(404);
  expect(hasZod()).toBe(false);
  expect(await ask("/openapi.json")).toBe(200);
  expect(hasZod()).toBe(true);
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
  ["web pages", /\.tsx$/],
  ["zod and the OpenAPI document", /node_modules\/zod\/|\/openapi\/document\.ts$/],
])("%s is part of the worker, but not evaluated when it starts", (_, pattern) => {
  expect(Object.keys(inputs).filter((path) => pattern.test(path))).not.toEqual([]);
  expect([...findStarted()].filter((path) => pattern.test(path))).toEqual([]);
});
