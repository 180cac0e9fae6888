import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { finish } from "../../../processes.ts";
import { makeRecords } from "../../../records/sample.ts";
import { type FakeService, startFakeService } from "./fake-service.ts";
import { linesOf, newFile, readLines, runCrawl } from "./run-crawl.ts";

const RECORDS = makeRecords(1_500);
const LINES = linesOf(RECORDS);

let service: FakeService;
beforeEach(async () => {
  service = await startFakeService(RECORDS);
});
afterEach(() => service.close());

/** Runs the command in its own process, and kills it at the given request. */
async function run(out: string, { kill, signal }: { kill?: number; signal?: NodeJS.Signals } = {}) {
  const args = ["tools/data/cli.ts", "crawl", service.origin, "--out", out];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const last = service.requests.length + (kill ?? Number.POSITIVE_INFINITY);
  service.onRequest = async ({ index }) => {
    if (index === last) child.kill(signal);
    await setTimeout(15);
    return undefined;
  };
  return finish(child);
}

describe("a crawl process", () => {
  test("that is killed, before and after its first save, can be resumed", async () => {
    const out = newFile();
    await run(out, { kill: 10, signal: "SIGKILL" });
    await run(out, { kill: 85, signal: "SIGKILL" });
    const [{ next }, written] = [readProgress(out), readLines(out).length];
    expect(next).toBeLessThan(1_500);
    expect(written).toBeGreaterThanOrEqual(1_500 - next);
    const before = service.requests.length;
    const { status, stdout, stderr } = await run(out);
    expect(stderr).not.toContain("Interrupted");
    expect(stdout).toMatch(/^Copied 1500 records to .*\. Pages read: \d+\. Retries: 0\.\n$/);
    expect(status).toBe(0);
    expect(readLines(out)).toEqual(LINES);
    expect(service.requests.length - before).toBe(Math.ceil(next / 15) + 2);
    expect(existsSync(`${out}.progress`)).toBe(false);
  });

  test("that is interrupted says how to resume, and loses nothing", async () => {
    const out = newFile();
    const { status, stderr } = await run(out, { kill: 20, signal: "SIGINT" });
    expect(status).toBe(130);
    const copied = readLines(out).length;
    expect(copied).toBeGreaterThanOrEqual(285);
    expect(readProgress(out).next).toBe(1_500 - copied);
    expect(stderr).toContain(
      `Interrupted. ${out} contains ${copied} of 1500 records. Run the same command again to resume.\n`,
    );
    expect(await runCrawl(service.origin, { out, concurrency: 8 })).toMatchObject({
      lines: LINES,
      error: undefined,
    });
  });
});

test("only one crawl at a time writes a file, however the crawl ends", async () => {
  const out = newFile();
  const errors: (string | undefined)[] = [];
  const first = run(out, { kill: 20, signal: "SIGKILL" });
  const { onRequest } = service;
  service.onRequest = async (request) => {
    if (request.index === 10) {
      errors.push((await runCrawl("http://localhost:9", { out })).error);
      errors.push((await runCrawl(service.origin, { out, restart: true })).error);
    }
    return onRequest(request);
  };
  await first;
  const message = expect.stringMatching(
    /is being written by another crawl \(process \d+\)\. Wait until it has ended\.$/,
  );
  expect(errors).toEqual([message, message]);
  expect((await run(out)).status).toBe(0);
  expect(readLines(out)).toEqual(LINES);
  expect(existsSync(`${out}.lock`)).toBe(false);
});

test("after --restart, the error says to resume without --restart", async () => {
  service.onRequest = ({ page }) => (page === 3 ? { status: 403 } : undefined);
  const { out, error } = await runCrawl(service.origin, { restart: true });
  expect(error).toContain(
    `${out} contains 30 of 1500 records. Run the same command without --restart to resume.`,
  );
});

test("--out - writes the records, and nothing else, to standard output", async () => {
  const { status, stdout, stderr } = await run("-");
  expect(stdout).toBe(LINES.map((line) => `${line}\n`).join(""));
  expect(stderr).toContain("Copied 1500 records. Pages read: 101. Retries: 0.\n");
  expect(status).toBe(0);
});

function readProgress(out: string) {
  return JSON.parse(readFileSync(`${out}.progress`, "utf8"));
}

/** The file of a crawl that was interrupted after 300 records. */
async function interruptCrawl(): Promise<string> {
  service.onRequest = ({ page }) => (page === 21 ? { status: 403 } : undefined);
  const { out, lines } = await runCrawl(service.origin);
  expect(lines).toEqual(LINES.slice(0, 300));
  service.onRequest = () => undefined;
  return out;
}

describe("the file of an unfinished crawl", () => {
  test("is completed after one more request for the last page copied", async () => {
    const out = await interruptCrawl();
    const before = service.requests.length;
    const { lines, error } = await runCrawl(service.origin, { out });
    expect([error, lines]).toEqual([undefined, LINES]);
    expect(service.requests.slice(before, before + 2).map(({ page }) => page)).toEqual([20, 21]);
  });

  test.each([
    ["an incomplete line", '{"id":17,"camera_'],
    ["records that were not saved", `${LINES[300]}\n${LINES[301]}\n`],
    ["the zeros of a power failure", "\0".repeat(5_000)],
  ])("is completed without %s at its end", async (_, end) => {
    const out = await interruptCrawl();
    appendFileSync(out, end);
    expect(await runCrawl(service.origin, { out })).toMatchObject({ lines: LINES, error: undefined });
  });

  test.each<[string, (out: string) => void]>([
    ["is shorter than it was", (out) => truncateSync(out, 1_000)],
    ["is another file", (out) => writeFileSync(out, "x".repeat(100_000))],
    ["has other lines", (out) => writeFileSync(out, "{}\n".repeat(100_000))],
  ])("is rejected if it %s", async (_, change) => {
    const out = await interruptCrawl();
    change(out);
    const changed = readFileSync(out);
    const { error } = await runCrawl(service.origin, { out });
    expect(error).toBe(
      `${out} was changed after the crawl was interrupted, so the crawl cannot be resumed. Use --restart to start over.`,
    );
    expect(readFileSync(out)).toEqual(changed);
    expect(await runCrawl(service.origin, { out, restart: true })).toMatchObject({ lines: LINES });
  });

  test("is rejected if its progress file is invalid", async () => {
    const out = await interruptCrawl();
    writeFileSync(`${out}.progress`, '{"next":');
    const { error } = await runCrawl(service.origin, { out });
    expect(error).toBe(`${out}.progress is not a valid progress file. Use --restart to start over.`);
  });

  test("is rejected for another collection or first page", async () => {
    const out = await interruptCrawl();
    const message = `${out} is an unfinished crawl of ${service.origin}/api/tf1/records/ from page 1. Use --restart to replace it, or --out to write to another file.`;
    expect((await runCrawl("http://localhost:9", { out })).error).toBe(message);
    expect((await runCrawl(service.origin, { out, fromPage: 2 })).error).toBe(message);
  });

  test("keeps its counts of problems, pages and retries", async () => {
    service.changeEnvelope = ({ ...envelope }, { page }) =>
      page === 2 ? { ...envelope, extra: 1 } : envelope;
    const out = await interruptCrawl();
    const { error, printed, warned } = await runCrawl(service.origin, { out });
    expect(warned).toEqual(["Before it was interrupted, the crawl found 1 problem."]);
    expect(error).toBe("Found 1 problem. The records were copied unchanged.");
    expect(printed.join()).toMatch(/ Pages read: 102\. Retries: 0\.$/);
  });
});
