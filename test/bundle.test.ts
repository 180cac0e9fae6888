import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runWrangler } from "../data/targets/wrangler.ts";

const MOST_BYTES = 64 * 1024;

let folder: string;
let bundle: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bundle-test-"));
  await runWrangler(["deploy", "--dry-run", "--outdir", folder]);
  bundle = await readFile(join(folder, "index.js"), "utf8");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the worker stays under 64 KiB gzipped", () => {
  expect(gzipSync(bundle).byteLength).toBeLessThan(MOST_BYTES);
});

test("starting builds no schemas: nothing on a request's way needs them", () => {
  expect(bundle).toContain("/api/tf1/records/");
  expect(bundle).not.toMatch(/zod/i);
});
