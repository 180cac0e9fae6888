import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { findBundle } from "./bundled-worker.ts";

const bundle = await readFile(join(findBundle(), "index.js"), "utf8");

test("the worker stays under 45 KiB gzipped", () => {
  expect(gzipSync(bundle).byteLength).toBeLessThan(45 * 1024);
});

test("the worker contains no schema library", () => {
  // The name of the registry that all copies of zod share.
  expect(bundle).not.toContain("__zod_globalRegistry");
});
