import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openProgress } from "../../../tools/command-line/progress.ts";
import { runProcess } from "../../support/run-command.ts";
import { createFolder } from "../../support/temporary-folder.ts";
import { createDataFolder } from "../data/data-folder.ts";

/** A program that shows a notice in the middle of a step, whose output file is its argument. */
const PROGRAM = `
  import { setTimeout } from "node:timers/promises";
  import { openProgress, printNotice } from "${join(process.cwd(), "tools/command-line/progress.ts")}";
  const { update, close } = openProgress("reading", { total: 150, out: process.argv[2] });
  update(30);
  await setTimeout(2_000);
  printNotice("A notice.");
  update(60);
  await setTimeout(50);
  close();
  console.log("Done.");
`;
const program = join(createFolder(), "program.ts");
writeFileSync(program, PROGRAM);

/** Runs a command to its end in a terminal, which must wrap lines and show its cursor then. */
async function runInTerminal(command: string): Promise<{ output: string; lines: string[] }> {
  const args = ["-qec", `stty cols 80; ${command}`, "/dev/null"];
  const { stdout: output } = await runProcess("script", args);
  for (const off of ["\x1b[?7l", "\x1b[?25l"])
    expect(output.lastIndexOf(off.replace("l", "h"))).toBeGreaterThanOrEqual(output.lastIndexOf(off));
  // A terminal shows the part of a line after its last erasure.
  return { output, lines: output.split("\r\n").map((line) => String(line.split("\x1b[2K").at(-1))) };
}

test.each([
  ["file", true],
  ["-", false],
])("on a terminal a notice has its own line, and no bar remains (output: %s)", async (out, hasBar) => {
  const { output, lines } = await runInTerminal(`${process.execPath} ${program} ${out}`);
  expect(lines).toEqual(["A notice.", "Done.", ""]);
  const bars = [`${"░".repeat(20)} 0/150 `, `${"█".repeat(8)}${"░".repeat(12)} 60/150 `];
  expect(bars.map((bar) => output.includes(bar))).toEqual([hasBar, hasBar]);
});

test("in a log a notice has its own line, too", async () => {
  const { stderr } = await runProcess(process.execPath, [program, "file"]);
  expect(stderr).toMatch(/^reading: 30\/150 records, \d+ records\/s, \d+s left\nA notice\.\n$/);
});

test("a signal that arrives more than once leaves the terminal in its normal modes", async () => {
  const { folder } = createDataFolder();
  const pipe = join(folder, "pipe");
  const load = `${process.execPath} tools/data/data-command.ts load ${pipe} --persist-to ${folder}`;
  // A shell can open the pipe for writing as soon as the command reads it.
  const stop = `exec 3> ${pipe}; for n in 1 2 3 4 5; do kill -INT $pid; done; sleep 1`;
  const { lines } = await runInTerminal(`mkfifo ${pipe}; pid=$$; (${stop}) & exec ${load}`);
  expect(lines).toEqual(["Stopped. Nothing was loaded.", ""]);
});

/** What happens at a second after the start of a step: an update, if any, and the newest line then. */
type Event = [second: number, update: [done: number, total?: number] | undefined, line: string | undefined];

// biome-ignore format: one event per line
const steps: [string, Parameters<typeof openProgress>, Event[]][] = [
  ["the total, the rate and the time left, after one second and then every five", ["reading", { total: 1_000 }], [
    [0, [1], undefined],
    [0.9, [450], undefined],
    [1, undefined, "reading: 450/1000 records, 450 records/s, 2s left"],
    [5, [501], "reading: 450/1000 records, 450 records/s, 2s left"],
    [6, undefined, "reading: 501/1000 records, 84 records/s, 6s left"],
  ]],
  ["the unit, and a total that changes", ["walking", { total: 3, unit: "pages" }], [
    [0.5, [1, 401], undefined],
    [1, [40], "walking: 1/401 pages, 1 pages/s, 6m40s left"],
    [6, [404], "walking: 40/401 pages, 6.7 pages/s, 55s left"],
    [11, undefined, "walking: 404/404 pages, 37 pages/s, 0s left"],
  ]],
  ["only the number done and the rate if the total is unknown", ["walking", { unit: "pages" }], [
    [0.9, [4], undefined],
    [1, [40], "walking: 4 pages, 4 pages/s"],
  ]],
  ["no time left while nothing is done", ["writing", { total: 300_000 }], [
    [1, undefined, "writing: 0/300000 records, 1s so far"],
    [6, undefined, "writing: 0/300000 records, 6s so far"],
  ]],
  ["the elapsed time of a step that counts nothing", ["comparing"], [[70, undefined, "comparing: 1m6s so far"]]],
];
test.each(steps)("in a log, a line shows %s", (_, options, events) => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: 0 });
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const { update, close } = openProgress(...options);
  for (const [second, updated, line] of events) {
    vi.advanceTimersByTime(1_000 * second - Date.now());
    if (updated) update(...updated);
    expect(log.mock.lastCall?.[0], `after ${second} s`).toBe(line);
  }
  close();
  log.mockClear();
  vi.advanceTimersByTime(70_000);
  expect(log, "nothing after its end").not.toHaveBeenCalled();
});
