import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Progress } from "../../../data/staging/read-files.ts";
import { openProgress } from "../../../tools/command-line/progress.ts";
import { createFolder } from "../../temporary-folder.ts";
import { createDataFolder } from "../data/data-folder.ts";
import { runInTerminal } from "./terminal.ts";

const MODULE = join(import.meta.dirname, "../../../tools/command-line/progress.ts");

/** A program that shows a notice in the middle of a step, whose output goes to a file or to the terminal. */
const program = (out: string) => `
import { setTimeout } from "node:timers/promises";
import { openProgress, printNotice } from "${MODULE}";
const { update, close } = openProgress("reading", { total: 150, out: "${out}" });
update(30);
await setTimeout(1_200);
printNotice("A notice.");
update(60);
await setTimeout(50);
close();
console.log("Done.");
`;

async function writeProgram(out: string): Promise<string> {
  const file = join(createFolder(), "program.ts");
  await writeFile(file, program(out));
  return file;
}

test.each(["file", "-"])("on a terminal a notice has its own line, and no bar remains: %s", async (out) => {
  expect(await runInTerminal(`${process.execPath} ${await writeProgram(out)}`)).toEqual({
    lines: ["A notice.", "Done.", ""],
    cursorShown: true,
    wraps: true,
  });
});

test("in a log a notice has its own line, too", async () => {
  const child = spawn(process.execPath, [await writeProgram("file")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [stderr] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect(stderr).toMatch(/^reading: 30\/150 records, \d+\/s, \d+s left\nA notice\.\n$/);
});

test("a signal that arrives more than once leaves the terminal in its normal modes", async () => {
  const { folder } = createDataFolder();
  const pipe = join(folder, "pipe");
  const load = `${process.execPath} tools/data/cli.ts load ${pipe} --persist-to ${folder}`;
  const stop = `sleep 2; for n in 1 2 3 4 5; do kill -INT $pid; done`;
  expect(await runInTerminal(`mkfifo ${pipe}; pid=$$; (${stop}) & exec ${load}`)).toEqual({
    lines: ["Stopped. What was loaded before is still served.", ""],
    cursorShown: true,
    wraps: true,
  });
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
    const { update } = open("reading", { total: 1_000 });
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
    const { update } = open("walking", { total: 3, unit: "pages" });
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
    const { update } = open("reading", { total: 1_000_000_001, unit: "pages" });
    pass(0.5);
    update(1_000);
    pass(0.5);
    expect(lines).toEqual(["reading: 1000/1000000001 pages, 2000/s, 138h53m left"]);
  });

  test("only the number done and the rate if the total is unknown", () => {
    const { update } = open("walking", { unit: "pages" });
    pass(0.9);
    update(4);
    pass(0.1);
    update(40);
    expect(lines).toEqual(["walking: 4 pages, 4.4/s"]);
  });

  test("a new estimate if the step takes longer than expected", () => {
    const { update } = open("copying", { total: 120 });
    pass(0.1);
    update(30);
    pass(0.9);
    expect(lines).toEqual(["copying: 30/120 records, 30/s, 3s left"]);
  });

  test("no time left while nothing is done", () => {
    open("writing", { total: 300_000 });
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
