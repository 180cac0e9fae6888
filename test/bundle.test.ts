import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { findBundle } from "./bundled-worker.ts";

const MOST_BYTES = 100 * 1024;

const folder = findBundle();

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
