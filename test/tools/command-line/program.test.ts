import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Finished, finish } from "../../run-command.ts";

/**
 * Runs a program that prints "started" and then runs the statements of its command, and sends it signals, each some milliseconds
 * after the start or after the previous signal.
 */
async function run(
  statements: string,
  options: string,
  ...signals: [after: number, NodeJS.Signals][]
): Promise<Finished> {
  const source = `
    import { setTimeout } from "node:timers/promises";
    import { createProgram, runProgram } from "./tools/command-line/program.ts";
    const stop = new AbortController();
    const aborted = () => setTimeout(60_000, undefined, { signal: stop.signal }).catch(() => {});
    const program = createProgram("test").action(async () => {
      console.log("started");
      ${statements}
    });
    await runProgram(program, ${options});`;
  const args = ["--input-type=module", "-e", source];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
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
    const wait = 'process.on("exit", () => console.log("exited")); await setTimeout(60_000);';
    const stdout = "started\nexited\n";
    expect(await run(wait, "{}", [0, signal], [0, signal])).toEqual({ status, stdout, stderr: "" });
  });

  test("lets a program that has a stop controller finish, even if the signal arrives more than once", async () => {
    const work = "await aborted(); await setTimeout(100); console.log(stop.signal.reason.message);";
    const stdout = `started\ninterrupted by ${signal}\n`;
    const end = await run(`${work} process.exitCode = 1;`, "{ stop }", [0, signal], [20, signal]);
    expect(end).toEqual({ status, stdout, stderr: "" });
  });
});

test.each([
  ["the abort itself", "await setTimeout(60_000, undefined, { signal: stop.signal });", ""],
  ["other errors", 'await aborted(); throw new Error("It is full.");', "It is full.\n"],
])("a program with a stop controller prints of %s: %j", async (_, statements, stderr) => {
  const end = await run(statements, "{ errorStatus: 2, stop }", [0, "SIGINT"]);
  expect(end).toEqual({ status: 130, stdout: "started\n", stderr });
});

test("a program that does not finish ends if the signal arrives again later", async () => {
  const work = 'await setTimeout(30_000); console.log("finished");';
  const end = await run(work, "{ stop }", [0, "SIGINT"], [700, "SIGINT"]);
  expect(end).toEqual({ status: 130, stdout: "started\n", stderr: "" });
});

test("an error is printed as one line and sets the exit status of the options", async () => {
  const end = await run('throw new Error("It is full.");', "{ errorStatus: 2 }");
  expect(end).toEqual({ status: 2, stdout: "started\n", stderr: "It is full.\n" });
});
