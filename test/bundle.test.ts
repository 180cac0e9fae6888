import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { runWrangler } from "../data/stores/wrangler.ts";
import { createFolder } from "./temporary-folder.ts";

const MOST_BYTES = 45 * 1024;

const folder = createFolder();
let bundle: string;
beforeAll(async () => {
  await runWrangler(["deploy", "--dry-run", "--outdir", folder]);
  bundle = await readFile(join(folder, "index.js"), "utf8");
});

test("the worker stays under 45 KiB gzipped", () => {
  expect(gzipSync(bundle).byteLength).toBeLessThan(MOST_BYTES);
});

test("the worker contains no schema library", () => {
  // The name of the registry that all copies of zod share.
  expect(bundle).not.toContain("__zod_globalRegistry");
});
