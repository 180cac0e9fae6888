import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Finished, finish } from "../../processes.ts";

/** A program that says that it has begun, whatever its command does then. */
const write = (command: string, ending: string) => `
  import { setTimeout } from "node:timers/promises";
  import { openProgram, runProgram } from "./cli/program.ts";
  const stop = new AbortController();
  const aborted = () => setTimeout(60_000, undefined, { signal: stop.signal }).catch(() => {});
  const program = openProgram("test").action(async () => {
    console.log("begun");
    ${command}
  });
  await runProgram(program, ${ending});`;

/** Runs a program and sends signals to it, each some milliseconds after it began or after the one before. */
async function interrupt(code: string, ...signals: [after: number, NodeJS.Signals][]): Promise<Finished> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const finished = finish(child);
  await once(child.stdout, "data");
  for (const [after, signal] of signals) {
    await setTimeout(after);
    child.kill(signal);
  }
  return finished;
}

describe.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s", (signal, status) => {
  test("ends a program at once, after its exit listeners", async () => {
    const code = write(
      'process.on("exit", () => console.log("left")); await setTimeout(60_000);',
      '{ onInterrupt: () => console.log("interrupted") }',
    );
    const { stdout, ...end } = await interrupt(code, [0, signal], [0, signal]);
    expect(end).toEqual({ status, stderr: "" });
    expect(stdout).toBe("begun\ninterrupted\nleft\n");
  });

  test("lets a program that can stop come to its end, even if it comes more than once", async () => {
    const code = write(
      "await aborted(); await setTimeout(100); console.log(stop.signal.reason.message); process.exitCode = 1;",
      "{ stop }",
    );
    const { stdout, ...end } = await interrupt(code, [0, signal], [0, signal], [20, signal]);
    expect(end).toEqual({ status, stderr: "" });
    expect(stdout).toBe(`begun\ninterrupted by ${signal}\n`);
  });

  test("is not told as an error by a program that has nothing to say", async () => {
    const code = write(
      "await setTimeout(60_000, undefined, { signal: stop.signal });",
      "{ failure: 2, stop }",
    );
    expect(await interrupt(code, [0, signal])).toEqual({ status, stdout: "begun\n", stderr: "" });
  });

  test("hides no other error", async () => {
    const code = write('await aborted(); throw new Error("It is full.");', "{ stop }");
    expect(await interrupt(code, [0, signal])).toMatchObject({ status, stderr: "It is full.\n" });
  });

  test("ends a program at once that does not stop, when it comes again", async () => {
    const code = write("await setTimeout(60_000);", "{ stop }");
    const begun = performance.now();
    expect(await interrupt(code, [0, signal], [700, signal])).toMatchObject({ status, stderr: "" });
    expect(performance.now() - begun).toBeLessThan(30_000);
  });
});

test("an error is a line, and the exit status that the program has for it", async () => {
  const code = write('throw new Error("It is full.");', "{ failure: 2 }");
  expect(await interrupt(code)).toEqual({ status: 2, stdout: "begun\n", stderr: "It is full.\n" });
});
