import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import paths from "../../dist/asset-paths.ts";
import { type RunningWorker, startWorker } from "../worker.ts";

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker({ migrate: false });
});
afterAll(() => worker.close());

test.each(Object.values(paths))("%s has a hash in its name and is cached for a year", async (path) => {
  expect(path).toMatch(/^\/assets\/[a-z-]+-[0-9A-Z]{8}\.(css|js|svg)$/);
  const response = await worker.fetch(path);
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
});

test("the icon is available at its usual path", async () => {
  const response = await worker.fetch("/favicon.ico");
  expect([response.status, response.headers.get("location")]).toEqual([302, paths["icon.svg"]]);
});

test("robots.txt excludes faults, earlier states and further pages", async () => {
  const response = await worker.fetch("/robots.txt");
  expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
  const rules = (await response.text()).match(/(?<=^Disallow: ).+$/gm);
  expect(rules).toEqual(["/*prefer=", "/*as_of=", "/*page=", "/go"]);
});

test.each(["/README.md", "/LICENSE"])("%s is shown as text", async (path) => {
  const response = await worker.fetch(path);
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await response.text()).toBe(await readFile(path.slice(1), "utf8"));
});
