import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import {
  createProgram,
  createWholeNumberParser,
  parseDate,
  parseOutputPath,
  parseServiceUrl,
} from "../../../tools/command-line/program.ts";
import { type Finished, finish, runData, runInProcess, runProcess } from "../../support/run-command.ts";

/** Returns the arguments of Node that run a program, which prints "started" and then runs the statements of its command. */
const createArgs = (statements: string) => [
  "--input-type=module",
  "--eval",
  `import { setTimeout } from "node:timers/promises";
   import { createProgram, runProgram } from "./tools/command-line/program.ts";
   const signals = {};
   const program = createProgram("test").action(async () => {
     console.log("started");
     ${statements}
   });
   await runProgram(program, signals);`,
];

/** Runs a program, and sends it signals after its start. */
async function run(statements: string, ...signals: NodeJS.Signals[]): Promise<Finished> {
  const child = spawn(process.execPath, createArgs(statements), { stdio: ["ignore", "pipe", "pipe"] });
  const finished = finish(child);
  await once(child.stdout, "data");
  for (const signal of signals) child.kill(signal);
  return finished;
}

test.each<[what: string, error: unknown, printed: RegExp]>([
  ["an expected error", new Error("one\ntwo"), /^one\ntwo\n$/],
  ["an error with control characters", new Error("\u009b31m\r\u202e\nb"), /^\\u009b31m\\u000d\\u202e\nb\n$/],
  ["a bug", new TypeError("no function"), /^TypeError: no function\n {4}at .*program\.process\.test\.ts/],
  ["a value that is no error", "reason", /^reason\n$/],
])("of %s, standard error shows what is needed to find its cause", async (_, error, printed) => {
  const program = createProgram("test").action(() => Promise.reject(error));
  const stderr = expect.stringMatching(printed);
  expect(await runInProcess(program, [])).toEqual({ status: 1, stdout: "", stderr });
});

test("a usage error quotes an argument without its control characters", async () => {
  const { status, stderr } = await runInProcess(createProgram("test"), ["--\u009b31m"]);
  expect([status, stderr]).toEqual([2, "error: unknown option '--\\u009b31m'\n"]);
});

const LOST = "did not arrive. npm takes options for itself";
const TOO_MANY = "too many arguments";

test.each([
  ["--persist-to was taken", "info x", { npm_config_persist_to: "" }, `--persist-to ${LOST}`],
  ["--json was taken", "info", { npm_config_json: "true" }, `--json ${LOST}`],
  ["--store was taken, and its value arrived", "kv info", { npm_config_store: "true" }, `--store ${LOST}`],
  ["--dry-run of wrangler was taken", "info", { npm_config_dry_run: "true" }, `--dry-run ${LOST}`],
  ["npm has an option that arrived, too", "info --store kv x", { npm_config_store: "kv" }, TOO_MANY],
  ["another project took it", "info x", { npm_config_persist_to: "", npm_package_name: "a" }, TOO_MANY],
  ["an option of another command was taken", "info x", { npm_config_min_records: "1" }, TOO_MANY],
])("if %s, `%s` is a usage error because of %j: %s", async (_, words, env, reason) => {
  for (const [name, value] of Object.entries({ npm_package_name: "traffic-count-records", ...env }))
    vi.stubEnv(name, value);
  const stderr = expect.stringContaining(reason);
  expect(await runData(words.split(" "))).toMatchObject({ status: 2, stderr });
});

test("npm takes an option that stands before --, and none after it", async () => {
  const run = (...args: string[]) => runProcess("npm", ["run", "data", ...args]);
  expect((await run("load", "--remote", "nothing.csv")).stderr).toContain("--remote did not arrive");
  expect((await run("--", "info", "--store", "x")).stderr).toContain("argument 'x' is invalid");
});

test("a reader that stops early, such as head, ends a program without an error", async () => {
  const command = '{ "$0" "$@"; echo "status $?" >&2; } | true';
  const args = createArgs('await setTimeout(200); console.log("more");');
  const { stderr } = await runProcess("sh", ["-c", command, process.execPath, ...args]);
  expect(stderr).toBe("status 0\n");
});

const WAIT = "await setTimeout(60_000);";
const NOTE_EXIT = `process.on("exit", () => console.log("exited")); ${WAIT}`;
const FINISH = `signals.finish = async () => { await setTimeout(200); console.log("finished"); }; ${WAIT}`;
const REPEAT = `signals.finish = async () => { process.kill(process.pid, "SIGINT"); ${WAIT} }; ${WAIT}`;

test.each<[what: string, statements: string, signals: NodeJS.Signals[], status: number, printed: string]>([
  ["SIGINT ends a program after its exit listeners", NOTE_EXIT, ["SIGINT", "SIGINT"], 130, "exited\n"],
  ["SIGTERM ends a program after its exit listeners", NOTE_EXIT, ["SIGTERM", "SIGTERM"], 143, "exited\n"],
  ["after a signal, a program finishes what it has begun", FINISH, ["SIGINT"], 130, "finished\n"],
  ["a second signal ends a program at once", REPEAT, ["SIGINT"], 130, ""],
])("%s", async (_, statements, signals, status, printed) => {
  const stdout = `started\n${printed}`;
  expect(await run(statements, ...signals)).toEqual({ status, stdout, stderr: "" });
});

const MAX = Number.MAX_SAFE_INTEGER;

const parsers: Record<string, (text: string) => unknown> = {
  "0 to 16": createWholeNumberParser(0, 16),
  "1 or more": createWholeNumberParser(1),
  "a date": parseDate,
  "an output file": parseOutputPath,
  "a service": parseServiceUrl,
};

test.each([
  ["0 to 16", "0", 0],
  ["0 to 16", "16", 16],
  ["0 to 16", "007", 7],
  ["1 or more", String(MAX), MAX],
  ["a date", "2019-02-28", new Date("2019-02-28T00:00:00Z")],
  ["a date", "2019-02-28T10:00:00Z", new Date("2019-02-28T10:00:00Z")],
  ["a service", "https://counts.example/prefix/", "https://counts.example/prefix"],
  ["an output file", "-", "-"],
  ["an output file", "/dev/stdout", "-"],
  ["an output file", "/dev/fd/1", "-"],
  ["an output file", "/proc/self/fd/1", "-"],
  ["an output file", "/dev/null", "/dev/null"],
  ["an output file", "dev/stdout", "dev/stdout"],
])("as %s, %j is %o", (name, text, value) => expect(parsers[name]?.(text)).toEqual(value));

// biome-ignore format: a table of cases
test.each([
  ...["17", "1.5", "-1"].map((text) => ["0 to 16", text, "whole number, 0 to 16"]),
  ...["0", String(MAX + 1), ""].map((text) => ["1 or more", text, "whole number, 1 or more"]),
  ...["2019-02-30", "2019-2-3", "2019-02-28T10:00:00", "today", ""].map((text) => ["a date", text, "date in UTC"]),
  ["an output file", "", "empty"],
  ["a service", "ftp://a.example", "URL"],
  ["a service", "http://:secret@a.example", "without a user"],
  ["a service", "http://a.example#b", "a fragment"],
  ["a service", "http://a.example?c", "a query"],
  ["a service", "a.example", "URL"],
])("as %s, %j is refused with %j", (name = "", text = "", message) =>
  expect(() => parsers[name]?.(text)).toThrow(message),
);
