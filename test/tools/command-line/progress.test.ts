import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openProgress, type Progress } from "../../../tools/command-line/progress.ts";
import { makeRecords } from "../../records/sample.ts";
import { createFolder } from "../../temporary-folder.ts";
import { type FakeService, startFakeService } from "../data/fake-service.ts";
import { runInTerminal } from "./terminal.ts";

const RECORDS = makeRecords(150);

let service: FakeService;
beforeEach(async () => {
  service = await startFakeService(RECORDS);
  service.onRequest = async ({ page, attempt }) => {
    await setTimeout(50); // Gives the bar time to appear.
    return page === 3 && attempt === 1 ? { status: 503, headers: { "Retry-After": "2" } } : undefined;
  };
});
afterEach(() => service.close());

const command = (out: string, ...options: string[]) => [
  "tools/data/cli.ts",
  "crawl",
  service.origin,
  "--out",
  out,
  ...options,
];

const newFile = () => join(createFolder(), "pages.jsonl");
const notice = () => `${service.origin}/api/tf1/records/?format=api&page=3 returned 503; trying again.`;
const conclusion = (out: string) => `${out} is complete. Load it with: npm run data -- load ${out}`;

test("on a terminal every notice has its own line, and no progress bar remains at the end", async () => {
  const out = newFile();
  expect(await runInTerminal([process.execPath, ...command(out)].join(" "))).toEqual({
    lines: [notice(), conclusion(out), ""],
    cursorShown: true,
    wraps: true,
  });
});

test("in a log every notice has its own line, too", async () => {
  const out = newFile();
  const child = spawn(process.execPath, command(out), { stdio: ["ignore", "ignore", "pipe"] });
  const [stderr] = await Promise.all([text(child.stderr), once(child, "close")]);
  const lines = stderr.split("\n");
  const isProgress = (line: string) => line.startsWith("copying: ");
  expect(lines.filter((line) => !isProgress(line))).toEqual([notice(), ""]);
  expect(lines.filter(isProgress)[0]).toMatch(/^copying: 30\/150 records, \d+\/s, \d+s left$/);
});

test("a signal that arrives more than once leaves the terminal in its normal modes", async () => {
  const out = newFile();
  service.onRequest = async ({ page }) => {
    if (page < 3) return undefined;
    await setTimeout(200); // Gives the bar time to appear.
    const pid = Number(readFileSync(`${out}.pid`, "utf8"));
    for (let times = 0; times < 5; times++) process.kill(pid, "SIGINT");
    return "stall";
  };
  const crawl = [process.execPath, ...command(out)].join(" ");
  expect(await runInTerminal(`echo $$ > ${out}.pid; exec ${crawl}`)).toEqual({
    lines: ["Stopped. Run the same command again to resume.", ""],
    cursorShown: true,
    wraps: true,
  });
});

test("records that are written to the terminal are not mixed with a progress bar", async () => {
  const { lines } = await runInTerminal([process.execPath, ...command("-")].join(" "));
  expect(lines).toContain(notice());
  const pages = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line).results);
  expect(pages.flat()).toEqual(RECORDS.toReversed());
  expect(lines).toHaveLength(12);
});

describe("in a log, a line shows", () => {
  let lines: string[];
  let progress: Progress;
  const open = (...args: Parameters<typeof openProgress>) => {
    progress = openProgress(...args);
    return progress;
  };
  beforeEach(() => {
    lines = [];
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    vi.spyOn(console, "error").mockImplementation((line) => lines.push(line));
  });
  afterEach(() => {
    progress.close();
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000);

  test("the total, the rate and the time left, after one second and then every five", () => {
    const { update } = open("reading", 1_000);
    update(1);
    pass(0.9);
    update(450);
    expect(lines).toEqual([]);
    pass(0.1);
    expect(lines.splice(0)).toEqual(["reading: 450/1000 records, 500/s, 1s left"]);
    pass(4);
    update(501);
    expect(lines).toEqual([]);
    pass(1);
    expect(lines).toEqual(["reading: 501/1000 records, 100/s, 4s left"]);
  });

  test("the unit, and a total that changes", () => {
    const { update } = open("walking", 3, { unit: "pages" });
    pass(0.5);
    update(1, 401);
    pass(0.5);
    update(40);
    pass(5);
    update(404);
    expect(lines).toEqual(["walking: 1/401 pages, 2/s, 3m20s left", "walking: 40/401 pages, 40/s, 5s left"]);
    pass(5);
    expect(lines.at(-1)).toBe("walking: 404/404 pages, 67/s, 0s left");
  });

  test("times of more than 99 hours", () => {
    const { update } = open("reading", 1_000_000_001, { unit: "pages" });
    pass(0.5);
    update(1_000);
    pass(0.5);
    expect(lines).toEqual(["reading: 1000/1000000001 pages, 2000/s, 138h53m left"]);
  });

  test("only the number done and the rate if the total is unknown", () => {
    const { update } = open("walking", undefined, { unit: "pages" });
    pass(0.9);
    update(4);
    pass(0.1);
    update(40);
    expect(lines).toEqual(["walking: 4 pages, 4.4/s"]);
  });

  test("a new estimate if the step takes longer than expected", () => {
    const { update } = open("copying", 120);
    pass(0.1);
    update(30);
    pass(0.9);
    expect(lines).toEqual(["copying: 30/120 records, 30/s, 3s left"]);
  });

  test("no time left while nothing is done", () => {
    open("writing", 300_000);
    pass(6);
    expect(lines).toEqual(["writing: 0/300000 records, 1s so far", "writing: 0/300000 records, 6s so far"]);
  });

  test("the elapsed time of a step that counts nothing, and nothing after its end", () => {
    const { close } = open("comparing");
    pass(70);
    expect([lines[0], lines.at(-1)]).toEqual(["comparing: 1s so far", "comparing: 1m6s so far"]);
    close();
    pass(70);
    expect(lines).toHaveLength(14);
  });
});
