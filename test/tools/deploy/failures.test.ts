import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { listenOnFreePort } from "../../free-port.ts";
import { finish } from "../command-line/run-command.ts";
import { DATA, DEPLOY, PREVIEW, testNext, useAccount } from "./account.ts";
import { createProject } from "./project.ts";

// Each deployment fails in a different way. The message must describe the right next step.

const FAILING = { NPM_STATUS: "1" };

describe.concurrent("after a successful deployment, an operator", async () => {
  const { api, project, run, listVersions } = await useAccount();
  project.configure('STORE = "d1"', 'STORE = "seed"');
  const listRollbacks = (text: string) =>
    Array.from(text.matchAll(/"-login: add": npx wrangler rollback (\S+)/g), ([, id]) => id);
  const listIds = () => listVersions().map(({ id }) => id);
  /** Replaces the served version, like a colleague's deployment. */
  const replaceVersion = () => {
    const [first] = listVersions();
    const created_on = new Date().toISOString();
    listVersions().push({ ...first!, id: `of-a-colleague-${listVersions().length}`, created_on });
  };

  testNext("learns soon that the new version fails every request, and how to roll back", async () => {
    await run(0, DEPLOY);
    api.onHealth = () => 500;
    const { stderr } = await run(1, DEPLOY);
    expect(stderr).toMatch(/^Step 4 of 5 failed: .*\nGET \S+\/healthz failed: status 500\n\n/);
    expect(listRollbacks(stderr)).toEqual(listIds().slice(0, 1));
  });

  testNext("gets the successful version, too, after the second failure", async () => {
    api.onHealth = undefined;
    const { stderr } = await run(1, DEPLOY, FAILING);
    expect(stderr).toMatch(/^Step 5 of 5 failed: /);
    expect(listRollbacks(stderr)).toEqual(listIds().slice(0, 2).reverse());
  });

  testNext("gets the same commands after an interrupt", async () => {
    const child = project.start(DEPLOY);
    api.onHealth = () => {
      child.kill("SIGTERM");
      return 503;
    };
    const { status, stderr } = await finish(child);
    api.onHealth = undefined;
    expect([status, listRollbacks(stderr)]).toEqual([143, listIds().slice(0, 3).reverse()]);
    expect(stderr).toMatch(/during the step "wait for the new version"\. The worker was deployed\./);
  });

  test.each([
    ["while it waits", 1, "4 of 5 failed: wait for the new version"],
    ["before its test fails", 3, "5 of 5 failed: test the deployment"],
  ])(
    "learns that a later deployment replaced this one %s, and gets no rollback",
    { concurrent: false },
    async (_, requests, failed) => {
      let left = requests;
      api.onHealth = () => {
        if (--left === 0) replaceVersion();
        return undefined;
      };
      const { stderr } = await run(1, DEPLOY, FAILING);
      const [ours, latest] = listIds().slice(-2);
      expect(stderr).toBe(
        `Step ${failed}.\nA later deployment has replaced this one: production serves version ${latest} instead of ${ours}.\n`,
      );
    },
  );
});

describe.concurrent("before the first deployment, an operator", async () => {
  const { api, run, listVersions } = await useAccount();

  test.each<[string, { rejected: RegExp; rejectionCode: number }]>([
    // Later commands do not request the accounts again.
    ["a token that may not read accounts", { rejected: /\/v4\/accounts\b(?!\/)/, rejectionCode: 10_000 }],
    ["a revoked token", { rejected: /\/deployments/, rejectionCode: 1000 }],
  ])("with %s learns which permissions a token needs", { concurrent: false }, async (_, rejection) => {
    Object.assign(api, rejection);
    const { stderr } = await run(1, DEPLOY);
    expect(stderr).toMatch(
      /^Step 1 of 5 failed: .*to a valid token with the permissions .* Account Settings: Read, unless you set `account_id`/s,
    );
  });

  testNext("gets no command that needs a worker if the upload fails", async () => {
    Object.assign(api, { rejected: /PUT .*\/scripts\//, rejectionCode: 10_021 });
    const { stderr } = await run(1, DEPLOY);
    expect(stderr).toMatch(/^Step 3 of 5 failed: .*continue, run `npm run deploy` again\.\n$/ms);
    expect(stderr).not.toMatch(/npx wrangler (deployments|rollback)/);
    expect(listVersions()).toEqual([]);
  });
});

describe.concurrent("if STORE differs from the store of the deployed worker,", async () => {
  const { run, readCurrentSnapshot, listVersions, chooseKv } = await useAccount();
  testNext("a command with --remote warns", async () => {
    await run(0, DEPLOY);
    const { stderr: same } = await run(0, [DATA, "info", "--remote"]);
    expect(same).toBe("Using the deployed d1 store.\n");
    chooseKv();
    const { stderr } = await run(0, [DATA, "info", "--remote"]);
    expect(stderr).toBe(
      "Using the deployed kv store.\nWarning: The deployed worker serves the d1 store, so its clients do not see the kv store. To use the d1 store, add `--store d1`.\n",
    );
  });

  testNext("a deployment stops and names both stores, unless --change-store is set", async () => {
    const { stderr } = await run(1, DEPLOY);
    expect(stderr).toMatch(
      /^Step 1 of 5 failed: .*The deployed worker serves the d1 store, but STORE in wrangler\.toml is "kv"\. .*`npm run deploy -- --change-store`/s,
    );
    const { stderr: next } = await run(1, [...DEPLOY, "--change-store"]);
    expect(next).toMatch(/^Step 2 of 5 failed: /);
    expect(listVersions().length).toBe(1);
  });

  testNext("the commands of docs/deploying.md move records with their source", async () => {
    const [, section = ""] = /## Change the store\n(.*?)\n## /s.exec(
      readFileSync("docs/deploying.md", "utf8"),
    )!;
    const commands = Array.from(section.matchAll(/^npm run data -- (.*)$/gm), ([, command]) =>
      String(command),
    );
    const expand = (word: string) => (word.includes("*") ? globSync(word) : [word]);
    expect(commands.length).toBeGreaterThan(2);
    const sources: unknown[] = [];
    for (const command of commands) {
      await run(0, [DATA, ...command.split(" ").flatMap(expand), "--store", "d1"]);
      if (command.startsWith("load")) sources.push(readCurrentSnapshot()?.source);
    }
    expect(sources).toEqual(["counts.csv", "generated"]);
  });
});

test.concurrent("an invalid setting is rejected before anything is created or uploaded", async () => {
  const project = createProject("http://localhost");
  project.configure(/PREFER = ""/g, 'PREFER = "dealy=5"');
  for (const command of [DEPLOY, PREVIEW]) {
    const { status, stdout, stderr } = await project.run(command);
    expect([status, stdout, stderr]).toEqual([
      1,
      "",
      expect.stringMatching(/^PREFER is "dealy=5"\. dealy=5 is unknown: /),
    ]);
  }
});

test.concurrent("after a signal, the command names the interrupted step and stops wrangler", async () => {
  // This server never responds, so the first step does not end.
  const server = createServer();
  const { origin, close } = await listenOnFreePort(server);
  const requested = once(server, "request");
  const child = createProject(origin).start(DEPLOY);
  const ended = finish(child);
  const [request] = await requested;
  const disconnected = once(request.socket, "close");
  child.kill("SIGTERM");
  const { status, stderr } = await ended;
  expect([status, stderr]).toEqual([
    143,
    expect.stringContaining('during the step "find the deployed version". Nothing was created or deployed.'),
  ]);
  await disconnected;
  await close();
});
