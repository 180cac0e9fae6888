import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runWrangler } from "../tools/wrangler.ts";

const MOST_BYTES = 45 * 1024;

let folder: string;
let bundle: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bundle-test-"));
  await runWrangler(["deploy", "--dry-run", "--outdir", folder]);
  bundle = await readFile(join(folder, "index.js"), "utf8");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the worker stays under 45 KiB gzipped", () => {
  expect(gzipSync(bundle).byteLength).toBeLessThan(MOST_BYTES);
});

test("the worker contains no schema library", () => {
  // The name of the registry that all copies of zod share.
  expect(bundle).not.toContain("__zod_globalRegistry");
});

test("the generator is set up for the first run of the cron trigger, not when a worker starts", async () => {
  // Its time begins in 2019, which it works out when it is set up.
  const utc = vi.spyOn(Date, "UTC");
  const { default: worker } = await import(`${pathToFileURL(join(folder, "index.js")).href}?again`);
  const answer = await worker.fetch(new Request("http://localhost/api/tf1/records/?page=0"), {});
  expect(answer.status).toBe(404);
  expect(utc).not.toHaveBeenCalledWith(2019, 0, 1);
  await expect(worker.scheduled({ scheduledTime: 0 }, { GROW: "on" })).rejects.toThrow("STORE is undefined");
  expect(utc).toHaveBeenCalledWith(2019, 0, 1);
  utc.mockRestore();
});
