import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type DeployOptions, deploy } from "../../../tools/deploy/deploy.ts";
import { createTarget } from "../../../tools/deploy/target.ts";
import { type Account, CONFIGURATION, createAccount, createRepository } from "./recording.ts";

const ORIGIN = "github.com/owner/counts";
const OWN = "counts-preview-77df07-";

let project: string;
beforeEach(() => {
  project = createRepository();
});

const deployTo = (
  { dependencies }: Account,
  options: DeployOptions & { preview?: string; configuration?: typeof CONFIGURATION } = {},
) => {
  const { preview, configuration = CONFIGURATION } = options;
  return deploy(configuration, createTarget(configuration, ORIGIN, preview), options, dependencies);
};

const readConfig = (name: string) =>
  JSON.parse(readFileSync(join(project, `.wrangler/deployments/${name}.json`), "utf8"));

const CHECK_ACCOUNT = ["wrangler auth token --json", "wrangler whoami --json"];
const CONFIG = "PROJECT/.wrangler/deployments";

const TESTS = (address: string) => [
  "npm run test:live",
  `npm run conformance -- ${address} --pages 20 --concurrency 4`,
];

describe("a deployment to production", () => {
  test("runs all steps in an empty account", async () => {
    const account = createAccount(project);
    await deployTo(account);
    expect(account.calls).toEqual([
      "npm run format",
      "npm run lint",
      "npm run types",
      ...CHECK_ACCOUNT,
      "wrangler d1 list --json",
      "wrangler d1 create counts-db",
      "wrangler d1 list --json",
      `load the seed into d1 with ${CONFIG}/counts.json`,
      `wrangler deploy --config ${CONFIG}/counts.json --tag COMMIT`,
      ...TESTS("https://counts.me.workers.dev"),
    ]);
    expect(account.printed).toEqual([
      "[1/6] check the code",
      "[2/6] find or create the database",
      "      creating the database counts-db",
      "[3/6] load the seed if the store is empty",
      "[4/6] deploy the worker",
      "[5/6] wait for the new version",
      "[6/6] test the deployment",
      "Deployed to https://counts.me.workers.dev",
    ]);
  });

  test("creates and binds only the store that it serves from", async () => {
    const account = createAccount(project);
    await deployTo(account, { skipChecks: true });
    expect(account).toMatchObject({ databases: ["counts-db"], namespaces: [] });
    expect(readConfig("counts")).toMatchObject({
      name: "counts",
      d1_databases: [{ binding: "DB", database_name: "counts-db", database_id: "id-of-counts-db" }],
      kv_namespaces: [],
    });
    await deployTo(account, { skipChecks: true, configuration: { ...CONFIGURATION, vars: { STORE: "kv" } } });
    expect(account).toMatchObject({ databases: ["counts-db"], namespaces: ["counts-kv"] });
    expect(readConfig("counts")).toMatchObject({
      d1_databases: [],
      kv_namespaces: [{ binding: "KV", id: "id-of-counts-kv" }],
    });
  });

  test("creates nothing if wrangler.toml gives the id", async () => {
    const account = createAccount(project);
    const database = {
      binding: "DB",
      migrations_dir: "migrations",
      database_name: "shared",
      database_id: "given",
    };
    await deployTo(account, {
      skipChecks: true,
      configuration: { ...CONFIGURATION, d1_databases: [database] },
    });
    expect(account.databases).toEqual([]);
    expect(readConfig("counts")).toMatchObject({
      d1_databases: [{ database_name: "shared", database_id: "given" }],
    });
  });

  test("creates the database in the given region", async () => {
    const account = createAccount(project);
    await deployTo(account, { skipChecks: true, location: "weur" });
    expect(account.calls).toContain("wrangler d1 create counts-db --location weur");
  });

  test("is refused with uncommitted changes, unless the checks are skipped", async () => {
    const account = createAccount(project);
    writeFileSync(join(project, "file"), "changed");
    await expect(deployTo(account)).rejects.toThrow(
      /^Step 1 of 6 failed: check the code\.\nThere are uncommitted changes:\n\?\? file\n\nCommit your changes/,
    );
    expect(account.calls).toEqual([]);
    await deployTo(account, { skipChecks: true });
    expect(account.calls).toContainEqual(expect.stringMatching(/^wrangler deploy .* --tag COMMIT-dirty$/));
  });

  test("stops before anything is created if the account has no subdomain and nobody can be asked", async () => {
    const account = createAccount(project, { hasSubdomain: false });
    await expect(deployTo(account, { skipChecks: true })).rejects.toThrow(
      "The account has no subdomain of workers.dev. Choose one in the dashboard, under Workers & Pages, and deploy again.\n\nNothing was deployed.",
    );
    expect(account.calls).toEqual(CHECK_ACCOUNT);
  });

  test("is refused if the login has several accounts, and none is chosen", async () => {
    const account = createAccount(project, { accounts: ["account", "another"] });
    await expect(deployTo(account, { skipChecks: true })).rejects.toThrow("Set CLOUDFLARE_ACCOUNT_ID.");
  });

  test("reports the status if Cloudflare does not respond in JSON", async () => {
    const account = createAccount(project);
    vi.stubGlobal("fetch", async () => new Response("<h1>Bad gateway</h1>", { status: 502 }));
    await expect(deployTo(account, { skipChecks: true })).rejects.toThrow(
      "Cloudflare does not show /workers/subdomain: status 502",
    );
  });

  test.each<[call: string, step: number, hint: string]>([
    ["npm run types", 1, "Commit your changes and fix the errors above"],
    ["wrangler d1 list", 2, "Nothing was deployed."],
    ["wrangler d1 create", 2, "Nothing was deployed."],
    ["load the seed", 3, "The loaded records are unchanged"],
    ["wrangler deploy", 4, "`npx wrangler deployments status` shows it"],
    ["npm run test:live", 6, "run `npx wrangler rollback`"],
    ["npm run conformance", 6, "run `npx wrangler rollback`"],
  ])(
    "stops with a hint if `%s` fails, and the next run completes the deployment",
    async (call, step, hint) => {
      const account = createAccount(project, { failures: { [call]: "broken" } });
      const failure = await deployTo(account).catch(String);
      expect(failure).toMatch(new RegExp(`^Error: Step ${step} of 6 failed: `));
      expect(failure).toMatch(/broken|above/);
      expect(failure).toContain(hint);
      if (step < 6) expect(account.calls.at(-1)).toMatch(new RegExp(`^${call}`));
      account.failures = {};
      await deployTo(account);
      expect(account).toMatchObject({ databases: ["counts-db"], namespaces: [] });
    },
  );

  test.each([
    ["code: 7403", "The given account is not valid or is not authorized to access this service [code: 7403]"],
    ["code: 10000", "Authentication error [code: 10000]"],
  ])("names the permissions that the token needs after %s", async (_, reason) => {
    const account = createAccount(project, { failures: { "wrangler d1 list": reason } });
    await expect(deployTo(account)).rejects.toThrow(
      /\n\nLog in with `npx wrangler login`, .* Workers Scripts, Workers KV Storage and D1, each with Edit\. Nothing/,
    );
  });

  test("reports all tests that failed", async () => {
    const account = createAccount(project, { failures: { "npm run": "broken" } });
    await expect(deployTo(account, { skipChecks: true })).rejects.toThrow(
      /^Step 5 of 5 failed: test the deployment\.\nnpm run test:live failed\. .*\nnpm run conformance -- .* failed\. .*\n\n/,
    );
  });

  test.each<[string, Partial<DeployOptions>, string[], string | undefined]>([
    ["of --url", { url: "https://given.example" }, ["https://a.workers.dev"], "https://given.example"],
    ["on workers.dev", {}, ["https://a.workers.dev", "schedule: 0 * * * *"], "https://a.workers.dev"],
    ["of a custom domain", {}, ["https://a.workers.dev", "a.example (custom domain)"], "https://a.example"],
    ["of a route, which is unknown", {}, ["a.example/* (zone name: a.example)"], undefined],
  ])("tests the address %s", async (_, options, targets, address) => {
    const account = createAccount(project, { report: { type: "deploy", version_id: "v1", targets } });
    const outcome = await deployTo(account, { skipChecks: true, ...options }).catch(String);
    if (address === undefined) expect(outcome).toContain("name the address of production with --url");
    else expect(account.calls.slice(-2)).toEqual(TESTS(address));
  });
});

describe("a deployment to a preview", () => {
  const report = {
    type: "preview",
    preview_urls: ["https://login-counts.me.workers.dev"],
    deployment_urls: ["https://0a1b-counts.me.workers.dev"],
  };

  test("has its own store, and tests the address that serves only this version", async () => {
    const account = createAccount(project, { report, databases: ["counts-db"] });
    await deployTo(account, { skipChecks: true, preview: "login" });
    expect(account.calls).toEqual([
      ...CHECK_ACCOUNT,
      "wrangler d1 list --json",
      `wrangler d1 create ${OWN}login`,
      "wrangler d1 list --json",
      `load the seed into d1 with ${CONFIG}/${OWN}login.json`,
      `wrangler preview --ignore-base-config --name login --worker-name counts --config ${CONFIG}/${OWN}login.json --tag COMMIT`,
      ...TESTS("https://0a1b-counts.me.workers.dev"),
    ]);
    expect(account.printed.at(-1)).toBe("Deployed to https://login-counts.me.workers.dev");
    const config = readConfig(`${OWN}login`);
    for (const settings of [config, config.previews])
      expect(settings).toMatchObject({
        vars: { STORE: "d1" },
        d1_databases: [{ database_name: `${OWN}login`, database_id: `id-of-${OWN}login` }],
        kv_namespaces: [],
      });
  });

  test("names the previews that could be removed if the account has no database left", async () => {
    const failures = {
      "wrangler d1 create": "You have reached the maximum number of D1 databases for your account.",
    };
    const databases = ["counts-db", "other", `${OWN}old`, `${OWN}older`];
    const account = createAccount(project, { failures, databases });
    await expect(deployTo(account, { skipChecks: true, preview: "login" })).rejects.toThrow(
      "The account has 4 databases, and its plan allows no more. Previews of this repository with a database: old, older.",
    );
  });
});
