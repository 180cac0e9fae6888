import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finish } from "../../processes.ts";
import type { Finished } from "../../run-command.ts";
import { createFolder } from "../../temporary-folder.ts";
import { makeCollection, type Reply, service, setUpService } from "./fake-service.ts";

const folder = createFolder();

setUpService(makeCollection(150));

/** Runs a command that checks the service. When it requests the page, its process group receives the signal. */
function runInterrupted(
  signal: NodeJS.Signals,
  page: string,
  [program = "", ...args]: string[],
): Promise<Finished> {
  service.reply = (reply, request) => {
    if (request.page !== page) return reply;
    process.kill(-child.pid!, signal);
    return new Promise<Reply>(() => {});
  };
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  return finish(child);
}

const command = (...args: string[]) => [
  process.execPath,
  "tools/conformance/cli.ts",
  service.origin,
  ...args,
];

test.each([["1"], ["4"]])(
  "a signal ends the walk, and the check reports the results so far, concurrency %s",
  async (concurrency) => {
    const { status, stdout } = await runInterrupted("SIGINT", "3", command("--concurrency", concurrency));
    expect(status).toBe(130);
    expect(stdout).toMatch(/^ {2}pass +Record\.id .*kept 30 times/m);
    expect(stdout).toMatch(/^ {2}pass +Page envelope\.next .*kept 2 times/m);
    expect(stdout).toMatch(/\n\d+ pass, 0 fail, .*\nThe check ended early: interrupted by SIGINT\n$/);
  },
);

test("the exit status shows the signal even if a rule is broken, and JSON and JUnit are complete", async () => {
  const [first, ...others] = service.records;
  service.records = [{ ...Object(first), model_name: "tf2" }, ...others];
  const file = join(folder, "interrupted.xml");
  const { status, stdout } = await runInterrupted("SIGTERM", "2", command("--json", "--junit", file));
  expect(status).toBe(143);
  const { stopped, verdicts } = JSON.parse(stdout);
  expect(stopped).toBe("The check ended early: interrupted by SIGTERM");
  expect(verdicts.fail).toBe(1);
  expect(await readFile(file, "utf8")).toContain(`<error message="${stopped}"/>`);
});

test("a signal before the first page ends the check without a report", async () => {
  expect(await runInterrupted("SIGINT", "1", command())).toMatchObject({ status: 130, stdout: "" });
});

// The terminal sends the signal to npm as well, which passes it on.
test("a signal under npm has the same effect", async () => {
  const npm = ["npm", "run", "--silent", "conformance", "--", service.origin];
  const { stdout } = await runInterrupted("SIGINT", "3", npm);
  expect(stdout).toMatch(/interrupted by SIGINT\n$/);
});
