import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeRecords } from "../../../records/sample.ts";
import { type FakeService, startFakeService } from "./fake-service.ts";
import { linesOf, newFile, runCrawl } from "./run-crawl.ts";

const RECORDS = makeRecords(100);
const LINES = linesOf(RECORDS);

let service: FakeService;
beforeEach(async () => {
  service = await startFakeService(RECORDS);
});
afterEach(() => service.close());

describe("a file without a progress file", () => {
  test("is not changed", async () => {
    const out = newFile();
    writeFileSync(out, "precious");
    const { error } = await runCrawl(service.origin, { out });
    expect(error).toMatch(/already exists and is not an unfinished crawl\. Use --restart to replace it\.$/);
    expect(readFileSync(out, "utf8")).toBe("precious");
    expect(service.requests).toEqual([]);
  });

  test("is replaced with --restart, after the first response", async () => {
    const out = newFile();
    writeFileSync(out, "precious");
    service.onRequest = () => ({ status: 403 });
    await runCrawl(service.origin, { out, restart: true });
    expect(readFileSync(out, "utf8")).toBe("precious");
    service.onRequest = () => undefined;
    expect(await runCrawl(service.origin, { out, restart: true })).toMatchObject({ lines: LINES });
  });
});

test("anything but a regular file is rejected, and no other file is left behind", async () => {
  const folder = newFile();
  mkdirSync(folder);
  for (const restart of [false, true]) {
    const { error } = await runCrawl(service.origin, { out: folder, restart });
    expect(error).toBe(
      `${folder} is not a regular file, so the crawl could not be resumed. Use --out - to write to standard output.`,
    );
  }
  expect(service.requests).toEqual([]);
  expect(readdirSync(dirname(folder)).filter((name) => name.startsWith(basename(folder)))).toEqual([
    basename(folder),
  ]);
});

test("a file that cannot be written is an error", async () => {
  const { error } = await runCrawl(service.origin, { out: "/nowhere/records.jsonl" });
  expect(error).toMatch(/^\/nowhere\/records\.jsonl cannot be written: its folder does not exist/);
});
