import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { finish } from "../../processes.ts";
import { makeRecords } from "../../records/sample.ts";
import { copy, linesOf, newFile, readLines } from "./copy.ts";
import { type Service, startService } from "./service.ts";

const RECORDS = makeRecords(1_500);
const LINES = linesOf(RECORDS);

let service: Service;
beforeEach(async () => {
  service = await startService(RECORDS);
});
afterEach(() => service.close());

/** Runs the command in a process of its own, and kills it with the request of some number. */
async function run(out: string, { kill, signal }: { kill?: number; signal?: NodeJS.Signals } = {}) {
  const args = ["data/cli.ts", "crawl", service.origin, "--out", out];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const last = service.asked.length + (kill ?? Number.POSITIVE_INFINITY);
  service.onAsk = async ({ index }) => {
    if (index === last) child.kill(signal);
    await setTimeout(15);
    return undefined;
  };
  return finish(child);
}

describe("a process", () => {
  test("killed before and after it first saved its progress, goes on", async () => {
    const out = newFile();
    await run(out, { kill: 10, signal: "SIGKILL" });
    await run(out, { kill: 85, signal: "SIGKILL" });
    const [{ next }, written] = [readProgress(out), readLines(out).length];
    expect(next).toBeLessThan(1_500);
    expect(written).toBeGreaterThanOrEqual(1_500 - next);
    const asked = service.asked.length;
    const { status, stdout, stderr } = await run(out);
    expect(stderr).not.toContain("Stopped");
    expect(stdout).toMatch(/^Copied 1500 records to .*: \d+ pages read, 0 retries\.\n$/);
    expect(status).toBe(0);
    expect(readLines(out)).toEqual(LINES);
    expect(service.asked.length - asked).toBe(Math.ceil(next / 15) + 2);
    expect(existsSync(`${out}.progress`)).toBe(false);
  });

  test("interrupted, says how to go on, and loses nothing", async () => {
    const out = newFile();
    const { status, stderr } = await run(out, { kill: 20, signal: "SIGINT" });
    expect(status).toBe(130);
    const copied = readLines(out).length;
    expect(copied).toBeGreaterThanOrEqual(285);
    expect(readProgress(out).next).toBe(1_500 - copied);
    expect(stderr).toContain(
      `Stopped. ${out} holds ${copied} of 1500 records. The same command goes on from there.\n`,
    );
    expect(await copy(service.origin, { out, concurrency: 8 })).toMatchObject({
      lines: LINES,
      error: undefined,
    });
  });
});

test("a file has one crawl at a time, until it ends in whatever way", async () => {
  const out = newFile();
  const refused: (string | undefined)[] = [];
  const first = run(out, { kill: 20, signal: "SIGKILL" });
  const { onAsk } = service;
  service.onAsk = async (asked) => {
    if (asked.index === 10) {
      refused.push((await copy("http://localhost:9", { out })).error);
      refused.push((await copy(service.origin, { out, restart: true })).error);
    }
    return onAsk(asked);
  };
  await first;
  const message = `${out} is being written by another crawl, which must end first`;
  expect(refused).toEqual([message, message]);
  expect((await run(out)).status).toBe(0);
  expect(readLines(out)).toEqual(LINES);
  expect(existsSync(`${out}.lock`)).toBe(false);
});

test("- is standard output, for the records alone", async () => {
  const { status, stdout, stderr } = await run("-");
  expect(stdout).toBe(LINES.map((line) => `${line}\n`).join(""));
  expect(stderr).toContain("Copied 1500 records: 101 pages read, 0 retries.\n");
  expect(status).toBe(0);
});

function readProgress(out: string) {
  return JSON.parse(readFileSync(`${out}.progress`, "utf8"));
}

/** A crawl that was stopped with 300 records in the file. */
async function begin(): Promise<string> {
  service.onAsk = ({ page }) => (page === 21 ? { status: 403 } : undefined);
  const { out, lines } = await copy(service.origin);
  expect(lines).toEqual(LINES.slice(0, 300));
  service.onAsk = () => undefined;
  return out;
}

describe("a file that was begun", () => {
  test("is gone on with after one look at the last page", async () => {
    const out = await begin();
    const before = service.asked.length;
    const { lines, error } = await copy(service.origin, { out });
    expect([error, lines]).toEqual([undefined, LINES]);
    expect(service.asked.slice(before, before + 2).map(({ page }) => page)).toEqual([20, 21]);
  });

  test.each([
    ["a torn line", '{"id":17,"camera_'],
    ["records that were not saved", `${LINES[300]}\n${LINES[301]}\n`],
    ["the zeros of a power failure", "\0".repeat(5_000)],
  ])("loses %s at its end", async (_, end) => {
    const out = await begin();
    appendFileSync(out, end);
    expect(await copy(service.origin, { out })).toMatchObject({ lines: LINES, error: undefined });
  });

  test.each<[string, (out: string) => void]>([
    ["is shorter than it was", (out) => truncateSync(out, 1_000)],
    ["is another one", (out) => writeFileSync(out, "x".repeat(100_000))],
    ["has other lines", (out) => writeFileSync(out, "{}\n".repeat(100_000))],
  ])("is refused if it %s", async (_, change) => {
    const out = await begin();
    change(out);
    const changed = readFileSync(out);
    const { error } = await copy(service.origin, { out });
    expect(error).toBe(
      `${out} is not as the crawl left it and cannot be gone on with; --restart begins anew`,
    );
    expect(readFileSync(out)).toEqual(changed);
    expect(await copy(service.origin, { out, restart: true })).toMatchObject({ lines: LINES });
  });

  test("is refused if its progress file is not one", async () => {
    const out = await begin();
    writeFileSync(`${out}.progress`, '{"next":');
    const { error } = await copy(service.origin, { out });
    expect(error).toBe(`${out}.progress cannot be understood; --restart begins anew`);
  });

  test("belongs to its collection and its first page", async () => {
    const out = await begin();
    const message = `${out} is the begun copy of ${service.origin}/api/tf1/records/ from page 1 on; --restart begins anew`;
    expect((await copy("http://localhost:9", { out })).error).toBe(message);
    expect((await copy(service.origin, { out, fromPage: 2 })).error).toBe(message);
  });

  test("keeps its problems, pages and retries", async () => {
    service.alter = ({ ...envelope }, { page }) => (page === 2 ? { ...envelope, extra: 1 } : envelope);
    const out = await begin();
    const { error, printed, warned } = await copy(service.origin, { out });
    expect(warned).toEqual(["Before the copy was stopped: 1 problem."]);
    expect(error).toBe("1 problem. The records were copied as they came.");
    expect(printed.join()).toMatch(/: 102 pages read, 0 retries\.$/);
  });
});
