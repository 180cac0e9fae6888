import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { createSnapshotId } from "../../../tools/data/stores/stored-snapshot.ts";
import { DATABASE, DEPLOY, NAMESPACE, PREVIEW, testNext, useAccount, WORKER, WRANGLER } from "./account.ts";
import { createProject } from "./project.ts";

// These tests run the commands and the real wrangler as processes. Only Cloudflare's API and the tests of a deployment are stubs.
// The accounts are independent, so the tests of different accounts run at the same time.

describe.concurrent("in a new account", async () => {
  const { api, project, run, listDatabases, readCurrentSnapshot, listVersions, chooseKv } =
    await useAccount();

  testNext("the first deployment asks for a subdomain, creates the database and loads the seed", async () => {
    api.subdomain = undefined;
    // Wrangler reads this file, too.
    writeFileSync(join(project.folder, ".env"), "WRANGLER_LOG=debug\n");
    const { status, stdout } = await project.runOnTerminal(DEPLOY, [
      ["register a workers.dev subdomain now?", "y"],
      ["like your workers.dev subdomain to be?", "mine\r"],
      ["Ok to proceed?", "y"],
    ]);
    expect([status, api.subdomain], stdout).toEqual([0, "mine"]);
    const documented = [...readFileSync("docs/deploying.md", "utf8").matchAll(/^\| (\d) \| (.*?) \|/gm)];
    const titles = documented.map(([, number, title]) => `[${number}/5] ${title}`);
    expect(stdout.match(/^\[\d.*(?=\r)/gm)).toEqual(titles);
    expect(stdout).toContain(`creating the database ${DATABASE}`);
    expect(stdout).toContain(`npm run test:live with BASE_URL=${api.origin}`);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(`Deployed to ${api.origin}`);
    expect([listDatabases(), readCurrentSnapshot()]).toMatchObject([[DATABASE], { count: 40_614 }]);
    const [{ bindings = [], tag = "", message = "" } = {}, ...others] = listVersions();
    expect(message).toBe("-login: add");
    expect(bindings).toContainEqual({ name: "DB", type: "d1", id: [...api.databases.keys()][0] });
    expect([tag, others]).toEqual([expect.stringMatching(/^[0-9a-f]{7,}-dirty$/), []]);
  });

  testNext(
    "a deployment after plain wrangler deploy keeps the records, and lists the rollbacks",
    async () => {
      const before = readCurrentSnapshot();
      await run(0, [WRANGLER, "deploy"]);
      const { stderr } = await run(1, DEPLOY, { NPM_STATUS: "1" });
      expect(stderr).toMatch(/^Step 5 of 5 failed: test the deployment\.\nA test of .* failed\./);
      const [first, plain, ...others] = listVersions();
      expect(stderr).toContain(`": npx wrangler rollback ${plain?.id}\n`);
      const database = first?.bindings.find(({ name }) => name === "DB");
      for (const version of [plain, ...others]) expect(version?.bindings).toContainEqual(database);
      expect([others.length, listDatabases(), readCurrentSnapshot()]).toEqual([1, [DATABASE], before]);
    },
  );

  testNext("a deployment that the user declines is a failure", async () => {
    api.lastDeployedFrom = "api";
    const { status, stdout } = await project.runOnTerminal(DEPLOY, [["Would you like to continue?", "n"]]);
    expect([status, listVersions().length], stdout).toEqual([1, 3]);
    expect(stdout).toContain("Step 3 of 5 failed: deploy the worker.\r\nThe deployment was cancelled");
  });

  testNext("after a change of STORE, the seed does not replace the served records", async () => {
    chooseKv();
    const { stderr } = await run(1, [...DEPLOY, "--change-store"]);
    expect(stderr).toMatch(
      /^Step 2 of 5 failed: .*No records were found in the kv store\..* up to a minute late/s,
    );
    expect([listVersions().length, api.namespaces.get(NAMESPACE)]).toEqual([3, new Map()]);
  });

  testNext(
    "the commands of docs/deploying.md remove the worker, the database and the namespace",
    async () => {
      const [, section = ""] =
        /## Remove a deployment\n(.*?)\n## /s.exec(readFileSync("docs/deploying.md", "utf8")) ?? [];
      const commands = [...section.matchAll(/^npx wrangler (.*)$/gm)].map(([, args]) =>
        String(args).split(" "),
      );
      // Without a terminal, wrangler does not ask.
      for (const args of commands) await run(0, [WRANGLER, ...args]);
      expect([api.workers.size, api.databases.size, api.namespaces.size]).toEqual([0, 0, 0]);
    },
  );
});

describe.concurrent("in an account to which plain wrangler deployed a worker that Workers Builds names", async () => {
  const name = "counts";
  const inBuilds = { WRANGLER_CI_OVERRIDE_NAME: name };
  const { api, project, run, listDatabases, readCurrentSnapshot, listVersions } = await useAccount();

  testNext("npm run deploy creates the tables, and explains how to load records", async () => {
    await run(0, [WRANGLER, "deploy"], inBuilds);
    expect([listDatabases(), listVersions(name).length]).toEqual([[DATABASE], 1]);
    const { stderr } = await run(1, DEPLOY, inBuilds);
    expect(stderr).toMatch(
      /No records were found in the d1 store.*`npm run data -- load data\/seed\/\*\.csv --remote --store d1`/,
    );
    expect(readCurrentSnapshot()).toMatchObject({ id: null, count: 0 });
  });

  testNext("npm run deploy continues after records are loaded", async () => {
    const files = ["data/seed/2019.csv", "data/seed/2025.csv"];
    await run(0, ["tools/data/data-command.ts", "load", "--remote", ...files]);
    await run(0, DEPLOY, inBuilds);
    expect([listVersions(name).length, listVersions().length]).toEqual([2, 0]);
  });

  testNext("after the database is deleted, npm run deploy explains how to use a new one", async () => {
    await run(0, [WRANGLER, "d1", "delete", DATABASE, "-y"]);
    await run(1, DEPLOY, inBuilds);
    await run(0, ["tools/data/data-command.ts", "load", "--remote", "data/seed/2019.csv"]);
    const { stderr } = await run(1, DEPLOY, inBuilds);
    expect(stderr).toMatch(
      /^Step 3 of 5 failed: .* was deleted\. .* `npx wrangler d1 list`.* as `database_id`.* rollback \S+ --name counts$/ms,
    );
    const [id] = api.databases.keys();
    project.configure(`database_name = "${DATABASE}"`, `$&\ndatabase_id = "${id}"`);
    await run(0, DEPLOY, inBuilds);
    project.configure(/database_id = .*/, "");
    await run(0, DEPLOY, inBuilds);
    expect([listDatabases(), listVersions(name).length]).toEqual([[DATABASE], 4]);
  });
});

describe.concurrent("in an account with KV", async () => {
  const { api, project, run, listDatabases, listVersions, chooseKv } = await useAccount();
  const previewed = `${WORKER}/feature/login`;

  testNext("a preview that fails does not affect production", async () => {
    api.rejected = /\/previews/;
    const { stderr } = await run(1, PREVIEW);
    expect(stderr).toMatch(
      /^Step 1 of 3 failed: deploy the preview\.\nReceived a malformed response.*\n\nProduction is not affected\.$/m,
    );
  });

  testNext("a preview needs no store", async () => {
    const { stdout, stderr } = await run(0, PREVIEW);
    expect(stdout).toContain(`npm run test:live with BASE_URL=${api.origin}`);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(api.origin);
    expect(stderr, "wrangler accepts the settings").toBe("");
    expect([listDatabases(), api.namespaces.size, listVersions()]).toEqual([[], 0, []]);
  });

  testNext("a namespace must have its id, and records, which a deployment never replaces", async () => {
    chooseKv("");
    const { stderr } = await run(1, DEPLOY);
    expect(stderr).toContain(
      `[[kv_namespaces]] in wrangler.toml has no id. Create a namespace with \`npx wrangler kv namespace create ${WORKER}-kv\``,
    );
    project.configure("[[kv_namespaces]]", `[[kv_namespaces]]\nid = "${NAMESPACE}"`);
    const snapshot = { id: createSnapshotId(Date.now()), count: 0, loaded_at: null, source: "own" };
    const loaded = new Map([["current-snapshot", JSON.stringify(snapshot)]]);
    api.namespaces.set(NAMESPACE, new Map(loaded));
    api.isLagging = true;
    const { stderr: rejection } = await run(1, DEPLOY);
    expect(rejection).toContain("No records were found in the kv store");
    api.isLagging = false;
    await run(0, DEPLOY);
    expect(api.namespaces.get(NAMESPACE)).toEqual(loaded);
    expect(listVersions()[0]?.bindings).toContainEqual(
      expect.objectContaining({ name: "KV", namespace_id: NAMESPACE }),
    );
  });

  testNext("a preview with its own database works as described in docs/deploying.md", async () => {
    const [, branch = ""] = /```toml\n(name = .*?)```/s.exec(readFileSync("docs/deploying.md", "utf8")) ?? [];
    writeFileSync(join(project.folder, "branch.toml"), branch);
    await run(0, [WRANGLER, "d1", "create", "branch-db"]);
    const load = ["load", "--remote", "--config", "branch.toml", "data/seed/2019.csv"];
    await run(0, ["tools/data/data-command.ts", ...load]);
    const [id = ""] = api.databases.keys();
    project.configure(/(?<=\[previews.vars\]\n)STORE = "seed"/, 'STORE = "d1"');
    project.configure(/$/, `\n[[previews.d1_databases]]\nbinding = "DB"\ndatabase_id = "${id}"\n`);
    await run(0, PREVIEW);
    const [, preview] = api.workers.get(previewed) ?? [];
    expect(preview?.bindings).toContainEqual(
      expect.objectContaining({ name: "DB", type: "d1", database_id: id }),
    );
  });

  testNext("the next commit updates the preview, and wrangler preview delete removes it", async () => {
    await run(0, PREVIEW);
    expect(api.workers.get(previewed)).toHaveLength(3);
    await run(0, [WRANGLER, "preview", "delete", "--skip-confirmation"]);
    expect([...api.workers.keys()]).toEqual([WORKER]);
  });
});

describe.concurrent("with two accounts", async () => {
  const { api, project, run } = await useAccount();

  testNext("without a token, the error explains how to log in", async () => {
    const { stderr } = await run(1, DEPLOY, { CLOUDFLARE_API_TOKEN: "" });
    expect(stderr).toMatch(
      /^Step 1 of 5 failed: .*Log in with `npx wrangler login`.* with the permissions .* Nothing was/s,
    );
    expect(stderr).not.toContain("--temporary");
  });

  testNext("the commands use the remembered account, or account_id in wrangler.toml", async () => {
    api.accounts = ["first", "second"];
    const { stderr } = await run(1, DEPLOY);
    expect(stderr).toMatch(/^Step 1 of 5 failed: .*More than one account .*`first`.*`second`/s);
    await project.runOnTerminal([WRANGLER, "d1", "list"], [["Select an account", "\r"]]);
    api.rejected = /\/d1\/database\?/;
    const { stderr: rejection } = await run(1, DEPLOY);
    expect(rejection).toMatch(/^Step 2 of 5 failed: prepare the store\..*Service Unavailable/s);
    expect(api.usedAccount).toBe("first");
    project.configure(/^/, 'account_id = "second"\n');
    project.configure('STORE = "d1"', 'STORE = "seed"');
    const { stdout } = await run(0, DEPLOY);
    expect(stdout).toContain("the seed is part of the deployment");
    expect(api.usedAccount).toBe("second");
  });

  testNext("without PUBLIC_ORIGIN, the address of a route is tested", async () => {
    project.configure(/PUBLIC_ORIGIN = .*/, 'PUBLIC_ORIGIN = ""');
    project.configure(/^/, `routes = ["${api.origin}/*"]\n`);
    expect((await run(0, DEPLOY)).stdout).toContain(`npm run test:live with BASE_URL=${api.origin}\n`);
  });
});

describe.concurrent("in an account of two people", async () => {
  const { api, project, run, listDatabases, readCurrentSnapshot } = await useAccount();

  testNext(
    "two first deployments at the same time leave one database, and a failed one can be repeated",
    async () => {
      const other = createProject(api.origin);
      other.configure('PUBLIC_ORIGIN = ""', `PUBLIC_ORIGIN = "${api.origin}"`);
      const ended = await Promise.all([project.run(DEPLOY), other.run(DEPLOY)]);
      expect(ended.map(({ status }) => status)).toContain(0);
      for (const { stderr } of ended.filter(({ status }) => status !== 0))
        expect(stderr).toMatch(/^Step 2 of 5 failed: .*continue, run `npm run deploy` again\.\n$/s);
      await run(0, DEPLOY);
      expect([listDatabases(), readCurrentSnapshot()]).toMatchObject([[DATABASE], { count: 40_614 }]);
    },
  );
});
