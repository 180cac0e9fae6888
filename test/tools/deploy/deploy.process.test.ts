import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { createSnapshotId } from "../../../tools/data/stores/stored-snapshot.ts";
import { finish } from "../command-line/run-command.ts";
import {
  DATA,
  DATABASE,
  DEPLOY,
  NAMESPACE,
  PREVIEW,
  testNext,
  useAccount,
  WORKER,
  WRANGLER,
} from "./account.ts";

// The commands and wrangler are real. Cloudflare's API is a stub, with our own service as the deployed worker.

/** The option without which wrangler itself would use the other project. */
const OWN = ["--config", "wrangler.toml"];

const DOCS = readFileSync("docs/deploying.md", "utf8");

const readSection = (title: string) => DOCS.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "";

describe.concurrent("in a new account", async () => {
  const { api, project, run, listDatabases, readCurrentSnapshot, listVersions, chooseKv } =
    await useAccount();

  testNext(
    "the first deployment asks for a subdomain, creates the database and loads the sample data",
    async () => {
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

  testNext("a second deployment keeps the records, and says what is wrong and how to go back", async () => {
    const before = readCurrentSnapshot();
    api.missingHeader = "Vary";
    const { stderr } = await run(1, DEPLOY);
    api.missingHeader = undefined;
    const [first, ...others] = listVersions();
    expect(stderr).toMatch(/^Failed: check the deployment\.\n(Not checked.*\n)?List records\.Vary /);
    expect(stderr).toContain(`\nTo go back: npx wrangler rollback ${first?.id} --config wrangler.toml\n`);
    const database = first?.bindings.find(({ name }) => name === "DB");
    expect(others[0]?.bindings).toContainEqual(database);
    expect([others.length, listDatabases(), readCurrentSnapshot()]).toEqual([1, [DATABASE], before]);
  });

  testNext("a version that fails every request ends the deployment soon", async () => {
    const [served] = listVersions().slice(-2);
    api.onHealth = () => 500;
    // The way back is to the version that most clients get, not to the newest one.
    api.newestShare = 5;
    const { stderr } = await run(1, DEPLOY);
    api.newestShare = 100;
    expect(stderr).toMatch(
      /^Failed: wait for the new version\.\nhttp:\S+\/healthz returned 500: no version\n/,
    );
    expect(stderr).toContain(`rollback ${served?.id} `);
  });

  testNext("after an interrupt, the message names the step and the way back", async () => {
    const [served] = listVersions().slice(-1);
    const child = project.start(DEPLOY);
    api.onHealth = () => {
      child.kill("SIGTERM");
      return 503;
    };
    const { status, stderr } = await finish(child);
    api.onHealth = undefined;
    expect(status).toBe(143);
    expect(stderr).toContain(
      `Interrupted: wait for the new version. To go back: npx wrangler rollback ${served?.id} `,
    );
  });

  testNext("a deployment that the user declines is a failure", async () => {
    api.lastDeployedFrom = "api";
    const versions = listVersions().length;
    const { status, stdout } = await project.runOnTerminal(DEPLOY, [["Would you like to continue?", "n"]]);
    expect([status, listVersions().length], stdout).toEqual([1, versions]);
    expect(stdout).toContain("Failed: deploy the worker.\r\nThe deployment was cancelled");
  });

  testNext(
    "another store is not deployed by mistake, and the sample data never replaces the served records",
    async () => {
      const versions = listVersions().length;
      chooseKv();
      const { stderr: info } = await run(0, [DATA, "info", "--remote"]);
      expect(info).toMatch(
        /^Using the deployed kv store\.\nWarning: .* serves the d1 store.*`--store d1`\.\n$/,
      );
      const { stderr } = await run(1, DEPLOY);
      expect(stderr).toMatch(/serves the d1 store, but STORE .* is "kv"/);
      const { stderr: empty } = await run(1, [...DEPLOY, "--change-store"]);
      expect(empty).toMatch(/^Failed: prepare the store\.\nNo records were found in the kv store/);
      expect([listVersions().length, api.namespaces.get(NAMESPACE)]).toEqual([versions, new Map()]);
    },
  );

  testNext("the commands of docs/deploying.md move records with their source", async () => {
    const commands = [...readSection("Change the store").matchAll(/^npm run data -- (.*)$/gm)];
    const expand = (word: string) => (word.includes("*") ? globSync(word) : [word]);
    const sources: unknown[] = [];
    for (const [, command = ""] of commands) {
      await run(0, [DATA, ...command.split(" ").flatMap(expand), "--store", "d1"]);
      if (command.startsWith("load")) sources.push(readCurrentSnapshot()?.source);
    }
    expect(sources).toEqual(["counts.csv", "generated"]);
  });

  testNext(
    "the commands of docs/deploying.md remove the worker, the database and the namespace",
    async () => {
      const commands = [...readSection("Remove a deployment").matchAll(/^npx wrangler (.*)$/gm)];
      // Without a terminal, wrangler does not ask.
      for (const [, args = ""] of commands) await run(0, [WRANGLER, ...args.split(" ")]);
      expect([api.workers.size, api.databases.size, api.namespaces.size]).toEqual([0, 0, 0]);
    },
  );
});

describe.concurrent("in an account to which plain wrangler deployed a worker that Workers Builds names", async () => {
  const name = "counts";
  const inBuilds = { WRANGLER_CI_OVERRIDE_NAME: name };
  const { run, listDatabases, readCurrentSnapshot, listVersions } = await useAccount();

  testNext(
    "npm run deploy creates the tables, explains how to load records, and then continues",
    async () => {
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

describe.concurrent("in an account with KV", async () => {
  const { api, project, run, listDatabases, listVersions, chooseKv } = await useAccount();
  const previewed = `${WORKER}/feature/login`;

  testNext("a preview needs no store; if it fails, wrangler's own words are shown", async () => {
    const { stderr: noToken } = await run(1, DEPLOY, { CLOUDFLARE_API_TOKEN: "" });
    expect(noToken).toMatch(/^Failed: prepare the store\.\nwrangler .*CLOUDFLARE_API_TOKEN/s);
    Object.assign(api, { rejected: /\/previews/, rejectionCode: 10_021 });
    const { stderr: rejected } = await run(1, PREVIEW);
    expect(rejected).toMatch(/^Failed: deploy the preview\.\nwrangler failed: .*\[code: 10021\]$/ms);
    const { stdout, stderr } = await run(0, PREVIEW);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(api.origin);
    expect(stderr, "wrangler accepts the settings").toBe("");
    expect([listDatabases(), api.namespaces.size, listVersions()]).toEqual([[], 0, []]);
  });

  testNext("a namespace must have records, which a deployment never replaces", async () => {
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
  });

  testNext("a preview with its own database serves it until it is removed", async () => {
    const database = 'binding = "DB"\ndatabase_name = "branch-db"\nmigrations_dir = "data/migrations"\n';
    const branch = `name = "${WORKER}"\n[vars]\nSTORE = "d1"\n[[d1_databases]]\n${database}`;
    writeFileSync(join(project.folder, "branch.toml"), branch);
    await run(0, [WRANGLER, "d1", "create", "branch-db"]);
    await run(0, [DATA, "load", "--remote", "--config", "branch.toml", "data/seed/2019.csv"]);
    const [id = ""] = api.databases.keys();
    project.configure(/(?<=\[previews.vars\]\n)STORE = "seed"/, 'STORE = "d1"');
    project.configure(/$/, `\n[[previews.d1_databases]]\nbinding = "DB"\ndatabase_id = "${id}"\n`);
    await run(0, PREVIEW);
    const binding = expect.objectContaining({ name: "DB", type: "d1", database_id: id });
    expect(api.workers.get(previewed)?.[1]?.bindings).toContainEqual(binding);
    await run(0, [WRANGLER, "preview", "delete", "--skip-confirmation", ...OWN]);
    expect([...api.workers.keys()]).toEqual([WORKER]);
  });
});
