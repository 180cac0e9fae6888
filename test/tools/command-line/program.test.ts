import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { finish } from "../../processes.ts";
import type { Finished } from "../../run-command.ts";

/** The source of a program that prints "started" and then runs the statements of its command. */
const writeProgram = (command: string, options: string) => `
  import { setTimeout } from "node:timers/promises";
  import { createProgram, runProgram } from "./tools/command-line/program.ts";
  const stop = new AbortController();
  const aborted = () => setTimeout(60_000, undefined, { signal: stop.signal }).catch(() => {});
  const program = createProgram("test").action(async () => {
    console.log("started");
    ${command}
  });
  await runProgram(program, ${options});`;

/** Runs a program and sends it signals, each some milliseconds after the start or after the previous signal. */
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
  test("ends a program at once, after its exit listeners have run", async () => {
    const code = writeProgram(
      'process.on("exit", () => console.log("exited")); await setTimeout(60_000);',
      '{ onInterrupt: () => console.log("interrupted") }',
    );
    const { stdout, ...end } = await interrupt(code, [0, signal], [0, signal]);
    expect(end).toEqual({ status, stderr: "" });
    expect(stdout).toBe("started\ninterrupted\nexited\n");
  });

  test("lets a program that has a stop controller finish, even if the signal arrives more than once", async () => {
    const code = writeProgram(
      "await aborted(); await setTimeout(100); console.log(stop.signal.reason.message); process.exitCode = 1;",
      "{ stop }",
    );
    const { stdout, ...end } = await interrupt(code, [0, signal], [0, signal], [20, signal]);
    expect(end).toEqual({ status, stderr: "" });
    expect(stdout).toBe(`started\ninterrupted by ${signal}\n`);
  });

  test("prints no error for the abort itself", async () => {
    const code = writeProgram(
      "await setTimeout(60_000, undefined, { signal: stop.signal });",
      "{ errorStatus: 2, stop }",
    );
    expect(await interrupt(code, [0, signal])).toEqual({ status, stdout: "started\n", stderr: "" });
  });

  test("does not hide other errors", async () => {
    const code = writeProgram('await aborted(); throw new Error("It is full.");', "{ stop }");
    expect(await interrupt(code, [0, signal])).toMatchObject({ status, stderr: "It is full.\n" });
  });

  test("ends a program that does not finish, if the signal arrives again later", async () => {
    const code = writeProgram("await setTimeout(60_000);", "{ stop }");
    const startedAt = performance.now();
    expect(await interrupt(code, [0, signal], [700, signal])).toMatchObject({ status, stderr: "" });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });
});

test("an error is printed as one line and sets the exit status of the options", async () => {
  const code = writeProgram('throw new Error("It is full.");', "{ errorStatus: 2 }");
  expect(await interrupt(code)).toEqual({ status: 2, stdout: "started\n", stderr: "It is full.\n" });
});
