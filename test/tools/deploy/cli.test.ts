import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { PROJECT } from "../../../tools/wrangler.ts";
import { listen } from "../../listen.ts";
import { finish } from "../../processes.ts";
import { createFolder } from "../../temporary-folder.ts";

const home = createFolder();

/** Starts the command as npm does. No user is logged in. */
function start(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["tools/deploy/cli.ts", ...args], {
    cwd: PROJECT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, CLOUDFLARE_API_TOKEN: "", XDG_CONFIG_HOME: home, HOME: home, ...env },
  });
  return { child, ended: finish(child) };
}

describe("the command line", () => {
  test.each(["deploy", "preview", "rollback"])("%s --help prints the usage", async (command) => {
    const { status, stdout } = await start([command, "--help"]).ended;
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
    const { status, stdout, stderr } = await start(args, env).ended;
    expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining(problem)]);
  });

  test("exits with 1 and prints a hint if a step fails", async () => {
    const { status, stdout, stderr } = await start(["preview", "--delete", "--branch", "login"]).ended;
    expect(status).toBe(1);
    expect(stdout).toBe("[1/3] remove the preview login\n");
    expect(stderr).toMatch(/^Step 1 of 3 failed: .*set a CLOUDFLARE_API_TOKEN.*The token needs the perm/s);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("on %s it names the interrupted step and stops wrangler", async (signal, expected) => {
    // A server that never responds, so that the first step does not end.
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
