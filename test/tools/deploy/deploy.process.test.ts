import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSnapshotId } from "../../../tools/data/stores/stored-snapshot.ts";
import { createDeployProgram } from "../../../tools/deploy/deploy.ts";
import { finish } from "../../support/run-command.ts";
import { DATA, DATABASE, DEPLOY, NAMESPACE, OWN, PREVIEW, testAccount, WORKER, WRANGLER } from "./account.ts";

// The commands and wrangler are real. Cloudflare's API is a stub, with our own service as the deployed worker.

const DOCS = readFileSync("docs/deploying.md", "utf8");

const readSection = (title: string) => DOCS.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "";

test("each option of npm run deploy and npm run preview is used in a test of this file", () => {
  const used = readFileSync(import.meta.filename, "utf8");
  const options = createDeployProgram().commands.flatMap((command) => command.options);
  expect(options.map(({ long }) => long).filter((long) => !used.includes(`"${long}"`))).toEqual([]);
});

describe.concurrent("the first deployment", () => {
  testAccount(
    "asks for a subdomain, creates the database and loads the sample data",
    async ({ api, project, listDatabases, readCurrentSnapshot, listVersions }) => {
      api.subdomain = undefined;
      // Wrangler reads this file, too.
      writeFileSync(join(project.folder, ".env"), "WRANGLER_LOG=debug\n");
      const { status, stdout } = await project.runOnTerminal(DEPLOY, [
        ["register a workers.dev subdomain now?", "y"],
        ["like your workers.dev subdomain to be?", "mine\r"],
        ["Ok to proceed?", "y"],
      ]);
      expect([status, api.subdomain], stdout).toEqual([0, "mine"]);
      expect(stdout.match(/^> [a-z ]+(?=\r)/gm)).toEqual([
        "> prepare the store",
        "> deploy the worker",
        "> wait for the new version",
        "> check the deployment",
      ]);
      expect(stdout.trimEnd().split("\n").at(-1)).toBe(`Deployed to ${api.origin}`);
      expect([listDatabases(), readCurrentSnapshot()]).toMatchObject([[DATABASE], { count: 40_614 }]);
      const [{ bindings = [], tag = "" } = {}, ...others] = listVersions();
      expect(bindings).toContainEqual({ name: "DB", type: "d1", id: [...api.databases.keys()][0] });
      expect([tag, others]).toEqual([expect.stringMatching(/^[0-9a-f]{7,}-dirty$/), []]);
      expect([...api.checked]).toEqual(
        expect.arrayContaining(["/", "/docs", "/openapi.json", "/api/tf1/records/"]),
      );
    },
  );

  testAccount(
    "after one with plain wrangler, of a worker that Workers Builds names, creates the tables, and explains how to load records",
    async ({ run, listDatabases, readCurrentSnapshot, listVersions }) => {
      const name = "counts";
      const inBuilds = { WRANGLER_CI_OVERRIDE_NAME: name };
      await run(0, [WRANGLER, "deploy", ...OWN], inBuilds);
      expect([listDatabases(), listVersions(name).length]).toEqual([[DATABASE], 1]);
      const { stderr } = await run(1, DEPLOY, inBuilds);
      expect(stderr).toMatch(
        /No records were found in the d1.*`npm run data -- load data\/seed\/\*\.csv --remote --store d1`/,
      );
      expect(readCurrentSnapshot()).toMatchObject({ id: null, count: 0 });
      await run(0, [DATA, "load", "--remote", "data/seed/2019.csv"]);
      await run(0, DEPLOY, inBuilds);
      expect([listVersions(name).length, listVersions().length]).toEqual([2, 0]);
    },
  );
});

describe.concurrent("a later deployment", () => {
  testAccount(
    "keeps the records, waits for the new version, and says what is wrong and how to go back",
    async ({ api, run, listDatabases, readCurrentSnapshot, listVersions, putIntoProduction }) => {
      await putIntoProduction("most", "few");
      const before = readCurrentSnapshot();
      // The way back is to the version that most clients get, not to the newest one.
      Object.assign(api, { newestShare: 5, lateResponses: 2, missingHeader: "Vary" });
      const { stdout, stderr } = await run(1, DEPLOY);
      const [{ bindings = [] } = {}, , deployed] = listVersions();
      expect(stdout).toContain(`healthz still reports version few instead of ${deployed?.id}`);
      expect(stderr).toMatch(/^Failed: check the deployment\.\n(Not checked.*\n)?List records\.Vary /);
      expect(stderr).toContain("\nTo go back: npx wrangler rollback most --config wrangler.toml\n");
      expect(deployed?.bindings).toContainEqual(bindings.find(({ name }) => name === "DB"));
      expect([listDatabases(), readCurrentSnapshot()]).toEqual([[DATABASE], before]);
    },
  );

  testAccount(
    "that is interrupted names the step and the way back",
    async ({ api, project, putIntoProduction }) => {
      await putIntoProduction("served");
      const child = project.start(DEPLOY);
      api.onRequest = async ({ url }) => {
        if (url.endsWith("/healthz")) child.kill("SIGTERM");
      };
      const { status, stderr } = await finish(child);
      expect(status).toBe(143);
      expect(stderr).toContain(
        "Interrupted: wait for the new version. To go back: npx wrangler rollback served ",
      );
    },
  );

  testAccount("that is interrupted ends wrangler, too", async ({ api, project }) => {
    const child = project.start(DEPLOY);
    let isWaiting = false;
    // Wrangler waits for a response that never comes.
    api.onRequest = async ({ signal }) => {
      isWaiting = true;
      child.kill("SIGTERM");
      await once(signal, "abort");
      isWaiting = false;
    };
    expect((await finish(child)).status).toBe(143);
    await expect.poll(() => isWaiting).toBe(false);
  });

  testAccount(
    "that the user declines is a failure",
    async ({ api, project, listVersions, putIntoProduction }) => {
      await putIntoProduction("served");
      api.lastDeployedFrom = "api";
      const { status, stdout } = await project.runOnTerminal(DEPLOY, [["Would you like to continue?", "n"]]);
      expect([status, listVersions().length], stdout).toEqual([1, 1]);
      expect(stdout).toContain("Failed: deploy the worker.\r\nThe deployment was cancelled");
    },
  );

  testAccount(
    "does not change the store by mistake, and the sample data never replaces the served records",
    async ({ api, run, listVersions, putIntoProduction, chooseKv }) => {
      await putIntoProduction("served");
      chooseKv();
      const { stderr: info } = await run(0, [DATA, "info", "--remote"]);
      expect(info).toMatch(
        /^Using the deployed kv store\.\nWarning: .* serves the d1 store.*`--store d1`\.\n$/,
      );
      const { stderr } = await run(1, DEPLOY);
      expect(stderr).toMatch(/serves the d1 store, but STORE .* is "kv"/);
      const { stderr: empty } = await run(1, [...DEPLOY, "--change-store"]);
      expect(empty).toMatch(/^Failed: prepare the store\.\nNo records were found in the kv store/);
      expect([listVersions().length, api.namespaces.get(NAMESPACE)]).toEqual([1, new Map()]);
    },
  );
});

describe.concurrent("the commands of docs/deploying.md", () => {
  testAccount("move records with their source", async ({ run, readCurrentSnapshot, putIntoProduction }) => {
    await putIntoProduction("served");
    const before = readCurrentSnapshot();
    const commands = [...readSection("Change the store").matchAll(/`npm run data -- (.*?)`/g)];
    expect(commands.length).toBe(3);
    for (const [, command = ""] of commands) await run(0, [DATA, ...command.split(" "), "--store", "d1"]);
    expect(readCurrentSnapshot()).toEqual({ ...before, id: expect.not.stringMatching(String(before?.id)) });
  });

  testAccount(
    "remove the worker, the database and the namespace",
    async ({ api, run, putIntoProduction, chooseKv }) => {
      await putIntoProduction("served");
      chooseKv();
      api.namespaces.set(NAMESPACE, new Map());
      const commands = [...readSection("Remove a deployment").matchAll(/^npx wrangler (.*)$/gm)];
      // Without a terminal, wrangler does not ask.
      for (const [, args = ""] of commands) await run(0, [WRANGLER, ...args.split(" ")]);
      expect([api.workers.size, api.databases.size, api.namespaces.size]).toEqual([0, 0, 0]);
    },
  );
});

describe.concurrent("with KV or previews,", () => {
  testAccount(
    "a preview needs no store; if it fails, wrangler's own words are shown",
    async ({ api, run, listDatabases, listVersions }) => {
      const { stderr: noToken } = await run(1, DEPLOY, { CLOUDFLARE_API_TOKEN: "" });
      expect(noToken).toMatch(/^Failed: prepare the store\.\nwrangler .*CLOUDFLARE_API_TOKEN/s);
      Object.assign(api, { rejected: /\/previews/, rejectionCode: 10_021 });
      const { stderr: rejected } = await run(1, PREVIEW);
      expect(rejected).toMatch(/^Failed: deploy the preview\.\nwrangler failed: .*\[code: 10021\]$/ms);
      const { stdout, stderr } = await run(0, PREVIEW);
      expect(stdout.trimEnd().split("\n").at(-1)).toBe(api.origin);
      expect(stderr, "wrangler accepts the settings").toBe("");
      expect([listDatabases(), api.namespaces.size, listVersions()]).toEqual([[], 0, []]);
      expect([...api.workers.keys()]).toEqual([WORKER, `${WORKER}/feature/login`]);
    },
  );

  testAccount(
    "a namespace must have records, which a deployment never replaces",
    async ({ api, run, listVersions, chooseKv }) => {
      chooseKv();
      const snapshot = { id: createSnapshotId(Date.now()), count: 0, loaded_at: null, source: "own" };
      const loaded = new Map([["current-snapshot", JSON.stringify(snapshot)]]);
      api.namespaces.set(NAMESPACE, new Map(loaded));
      api.isLagging = true;
      expect((await run(1, DEPLOY)).stderr).toContain("No records were found in the kv store");
      api.isLagging = false;
      await run(0, DEPLOY);
      expect(api.namespaces.get(NAMESPACE)).toEqual(loaded);
      const namespace = expect.objectContaining({ name: "KV", namespace_id: NAMESPACE });
      expect(listVersions()[0]?.bindings).toContainEqual(namespace);
    },
  );

  testAccount(
    "a preview with a name and its own database serves it until it is removed",
    async ({ api, project, run, putIntoProduction }) => {
      await putIntoProduction("served");
      const database = 'binding = "DB"\ndatabase_name = "branch-db"\nmigrations_dir = "data/migrations"\n';
      const branch = `name = "${WORKER}"\n[vars]\nSTORE = "d1"\n[[d1_databases]]\n${database}`;
      writeFileSync(join(project.folder, "branch.toml"), branch);
      await run(0, [WRANGLER, "d1", "create", "branch-db", ...OWN]);
      await run(0, [DATA, "load", "--remote", "--config", "branch.toml", "data/seed/2019.csv"]);
      const [, id = ""] = api.databases.keys();
      project.configure(/(?<=\[previews.vars\]\n(?:.*\n)*?)STORE = "seed"/, 'STORE = "d1"');
      project.configure(/$/, `\n[[previews.d1_databases]]\nbinding = "DB"\ndatabase_id = "${id}"\n`);
      await run(0, [...PREVIEW, "--name", "demo"]);
      const binding = expect.objectContaining({ name: "DB", type: "d1", database_id: id });
      expect(api.workers.get(`${WORKER}/demo`)?.[0]?.bindings).toContainEqual(binding);
      await run(0, [WRANGLER, "preview", "delete", "--name", "demo", "--skip-confirmation", ...OWN]);
      expect([...api.workers.keys()]).toEqual([WORKER]);
    },
  );
});
