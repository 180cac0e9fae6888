import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { finish } from "../../processes.ts";
import type { Finished } from "../../run-command.ts";
import { openApi } from "./stub/api.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "deploy-ci-test-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Starts the command as npm does, without the variables of the system that runs the tests. */
function start(args: string[], env: Record<string, string>) {
  const { WORKERS_CI: _, WORKERS_CI_BRANCH: __, ...own } = process.env;
  return spawn(process.execPath, ["tools/deploy/cli.ts", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...own, CLOUDFLARE_API_TOKEN: "", XDG_CONFIG_HOME: home, HOME: home, ...env },
  });
}

const run = (args: string[], env: Record<string, string>): Promise<Finished> => finish(start(args, env));

test.each([
  [["preview", "--delete"], "Branch/1"],
  [["preview", "--delete", "--branch", "Branch/1"], "main"],
])(
  "in Workers Builds %j of %s uses the branch of --branch, or else of WORKERS_CI_BRANCH",
  async (args, branch) => {
    const { status, stdout } = await run(args, { WORKERS_CI: "1", WORKERS_CI_BRANCH: branch });
    expect(status, "there is no token").toBe(1);
    expect(stdout).toMatch(/^\[1\/3\] remove the preview branch-1-[0-9a-f]{6}\n$/);
  },
);

test.each(["deploy", "preview"])("in Workers Builds %s does not check the code", async (command) => {
  const { stdout } = await run([command], { WORKERS_CI: "1", WORKERS_CI_BRANCH: "login" });
  expect(stdout).toBe("[1/7] find or create the database and the namespace\n");
});

test("--address-file gets the address as soon as the preview is deployed, before it is tested", async () => {
  const api = await openApi();
  const file = join(home, "address.txt");
  const args = ["preview", "--skip-checks", "--branch", "login", "--address-file", file];
  const child = start(args, {
    CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "account",
    CI: "1",
  });
  const ended = once(child, "close");
  const read = () => {
    if (child.exitCode !== null) throw new Error(`the command ended with ${child.exitCode}`);
    return readFileSync(file, "utf8");
  };
  const address = await vi.waitFor(read, { timeout: 150_000, interval: 50 });
  child.kill("SIGTERM");
  await ended;
  await api.close();
  expect(address).toBe(`${api.origin}\n`);
});
