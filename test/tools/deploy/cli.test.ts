import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";
import { PROJECT } from "../../../data/stores/wrangler.ts";
import type { Dependencies } from "../../../tools/deploy/deploy.ts";
import { createDeployProgram } from "../../../tools/deploy/program.ts";
import { listen } from "../../listen.ts";
import { finish } from "../../processes.ts";
import { type Finished, runInProcess } from "../../run-command.ts";
import { createFolder } from "../../temporary-folder.ts";
import { test } from "./stub/fixture.ts";

const home = createFolder();

/** The environment of the command. No user is logged in. */
const ENVIRONMENT = { CLOUDFLARE_API_TOKEN: "", XDG_CONFIG_HOME: home, HOME: home };

beforeEach(() => {
  // The machine that runs the tests may set these variables.
  for (const name of ["WORKERS_CI", "WORKERS_CI_BRANCH"]) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(ENVIRONMENT)) vi.stubEnv(name, value);
});
afterEach(() => vi.unstubAllEnvs());

function run(args: string[], dependencies: Partial<Dependencies> = {}): Promise<Finished> {
  return runInProcess(createDeployProgram({ print: (line) => console.log(line), ...dependencies }), args);
}

/** Starts the command as npm does. */
function start(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, ["tools/deploy/cli.ts", ...args], {
    cwd: PROJECT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  return { child, ended: finish(child) };
}

describe("the command line", () => {
  test.each(["deploy", "preview", "rollback"])("%s --help prints the usage", async (command) => {
    const { status, stdout } = await run([command, "--help"]);
    expect([status, stdout]).toEqual([0, expect.stringContaining(`Usage: npm run ${command} `)]);
  });

  test.each<[string[], Record<string, string>, string]>([
    [["preview", "--remove"], {}, "unknown option '--remove'"],
    [
      ["deploy", "--url", "counts.example"],
      {},
      "'counts.example' is invalid. It must be a URL without a path",
    ],
    [["rollback", "--url", "https://counts.example/api"], {}, "It must be a URL without a path"],
    [["deploy", "--location", "mars"], {}, "It must be one of weur, eeur, apac, oc, wnam, enam."],
    [["preview"], { D1_LOCATION: "mars" }, "It must be one of weur, eeur, apac, oc, wnam, enam."],
    [["preview", "--branch", ""], {}, "option '--branch <name>' argument '' is invalid. It must be the name"],
    [
      ["preview", "--delete"],
      { D1_LOCATION: "", WORKERS_CI_BRANCH: "" },
      "value '' from env 'WORKERS_CI_BRANCH' is invalid",
    ],
  ])("%j with %j exits with 2 before the first step", async (args, env, problem) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const { status, stdout, stderr } = await run(args);
    expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining(problem)]);
  });

  test("exits with 1 and prints a hint if a step fails", async () => {
    const { status, stdout, stderr } = await run(["preview", "--delete", "--branch", "login"]);
    expect(status).toBe(1);
    expect(stdout).toBe("[1/3] remove the preview login\n");
    expect(stderr).toMatch(/^Step 1 of 3 failed: .*set a CLOUDFLARE_API_TOKEN.*The token needs the perm/s);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("on %s the command names the interrupted step and stops wrangler", async (signal, expected) => {
    // This server never responds, so the first step does not end.
    const platform = createServer();
    const { origin, close } = await listen(platform);
    const requested = once(platform, "request");
    const { child, ended } = start(["preview", "--delete", "--branch", "login"], {
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: "account",
      CLOUDFLARE_API_BASE_URL: `${origin}/client/v4`,
    });
    const [request] = await requested;
    const disconnected = once(request.socket, "close");
    child.kill(signal);
    const { status, stderr } = await ended;
    expect(status).toBe(expected);
    expect(stderr).toContain(
      'Interrupted during the step "remove the preview login". Completed steps: none. Run the same command again',
    );
    await disconnected;
    await close();
  });
});

describe("in Workers Builds", () => {
  beforeEach(() => void vi.stubEnv("WORKERS_CI", "1"));

  test.for<[string[], string]>([
    [["preview", "--delete"], "Branch/1"],
    [["preview", "--delete", "--branch", "Branch/1"], "main"],
  ])(
    "%j of %s uses the branch of --branch, or else of WORKERS_CI_BRANCH",
    async ([args, branch], { platform, dependencies }) => {
      vi.stubEnv("WORKERS_CI_BRANCH", branch);
      expect((await run(args, { wrangler: dependencies.wrangler })).status).toBe(0);
      expect(platform.calls()).toContainEqual(expect.stringMatching(/ branch-1-[0-9a-f]{6}( |$)/));
    },
  );

  test.for(["deploy", "preview"])(
    "%s does not check the code",
    async (command, { platform, dependencies, printed }) => {
      vi.stubEnv("WORKERS_CI_BRANCH", "login");
      expect((await run([command], dependencies)).status).toBe(0);
      expect(printed[0]).toBe("[1/7] find or create the database and the namespace");
      expect(platform.calls()).not.toContain("npm run lint");
    },
  );
});

test("--address-file contains the address as soon as the preview is deployed, before its tests", async ({
  platform,
  dependencies,
}) => {
  platform.change((account) => {
    account.failures["npm run test:live"] = "A test fails.";
  });
  const file = join(home, "address.txt");
  const args = ["preview", "--skip-checks", "--branch", "login", "--address-file", file];
  expect(await run(args, dependencies)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("Step 6 of 7 failed: run the HTTP tests."),
  });
  expect(await readFile(file, "utf8")).toBe(`${platform.account().origin}\n`);
});
