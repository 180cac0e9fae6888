import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createDeployProgram } from "../../../tools/deploy/deploy.ts";
import { type Answer, createProject } from "../../support/project.ts";
import { finish } from "../../support/run-command.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { createDataFolder } from "../data/data-folder.ts";
import { type Cloudflare, openCloudflare } from "./cloudflare.ts";

const WORKER = "traffic-count-records";
const DATABASE = `${WORKER}-db`;
const NAMESPACE = "0f2ac74b498b48028cb68387c421e279";
const DEPLOY = ["tools/deploy/deploy.ts", "deploy"];
const PREVIEW = ["tools/deploy/deploy.ts", "preview"];

const DOCS = readFileSync("docs/deploying.md", "utf8");

const readSection = (title: string) => DOCS.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "";

const accounts: Cloudflare[] = [];
afterAll(() => Promise.all(accounts.map(({ close }) => close())));

/** Opens an account, and a clone of the repository that deploys to the address of the account's stub. */
async function openAccount() {
  const api = await openCloudflare();
  accounts.push(api);
  const project = createProject(api.origin);
  // Built before all tests. The build of a deployment then only compares the sources.
  cpSync("dist", join(project.folder, "dist"), { recursive: true });
  project.configure('PUBLIC_ORIGIN = ""', `PUBLIC_ORIGIN = "${api.origin}"`);
  const useKv = () => {
    project.configure('STORE = "d1"', 'STORE = "kv"');
    project.configure(/# (\[\[kv_namespaces\]\])\n# (.*)/, `$1\n$2\nid = "${NAMESPACE}"`);
  };
  return { api, project, useKv };
}

test("each option of npm run deploy and npm run preview is used in a test of this file", () => {
  const used = readFileSync(import.meta.filename, "utf8");
  const options = createDeployProgram().commands.flatMap((command) => command.options);
  expect(options.map(({ long }) => long).filter((long) => !used.includes(`"${long}"`))).toEqual([]);
});

describe("with the real wrangler and a stub of Cloudflare's API,", { timeout: 900_000 }, () => {
  test("the first deployment creates the database, loads the sample data, and is removed as documented", async () => {
    const { api, project, useKv } = await openAccount();
    project.addOtherConfigurations();
    // Wrangler reads this file, too.
    writeFileSync(join(project.folder, ".env"), "WRANGLER_LOG=debug\n");
    const { status, stdout, stderr } = await project.run(DEPLOY);
    expect(status, stdout + stderr).toBe(0);
    expect(stdout.match(/^(> |Deployed to ).+/gm)).toEqual([
      "> prepare the store",
      "> deploy the worker",
      "> wait for the new version",
      "> check the deployment",
      `Deployed to ${api.origin}`,
    ]);
    const [[id, { name, sqlite }] = expect.fail("no database")] = api.databases;
    const loaded = sqlite.prepare("SELECT count FROM current_snapshot").get();
    expect([api.databases.size, name, loaded]).toEqual([1, DATABASE, { count: 40_614 }]);
    const version = { bindings: expect.arrayContaining([{ name: "DB", type: "d1", id }]) };
    expect([...api.workers]).toMatchObject([
      [WORKER, [{ ...version, tag: expect.stringMatching(/^[0-9a-f]{7,}-dirty$/) }]],
    ]);
    expect([...api.checked]).toEqual(
      expect.arrayContaining(["/", "/docs", "/openapi.json", "/api/tf1/records/"]),
    );
    useKv();
    api.namespaces.set(NAMESPACE, new Map());
    // Without a terminal, wrangler does not ask.
    for (const [, args = ""] of readSection("Remove a deployment").matchAll(/^npx wrangler (.*)$/gm))
      expect(await project.run(["node_modules/wrangler/bin/wrangler.js", ...args.split(" ")])).toMatchObject({
        status: 0,
      });
    expect([api.workers.size, api.databases.size, api.namespaces.size]).toEqual([0, 0, 0]);
    expect(api.unknown, "requests that the stub does not know").toEqual([]);
  });

  test("a preview of the branch needs no store, and its address is printed last", async () => {
    const { api, project } = await openAccount();
    const { status, stdout, stderr } = await project.run(PREVIEW);
    expect([status, stderr], "wrangler accepts the settings").toEqual([0, ""]);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(api.origin);
    expect([...api.workers.keys()]).toEqual([`${WORKER}/feature/login`]);
    expect([api.databases.size, api.unknown]).toEqual([0, []]);
  });
});

describe.concurrent("with a program in place of wrangler,", () => {
  const show = (...results: object[]): Answer => ({ prints: [{ results, meta: { changes: 0 } }] });
  const snapshot = { id: "loaded", count: 0, loaded_at: null, source: "" };
  const share = (id: string, percentage: number) => ({ version_id: id, percentage });
  /** A worker with several versions, and a database and a namespace with records. */
  const ANSWERS: Record<string, Answer> = {
    "deployments list": {
      prints: [{ versions: [share("old", 100)] }, { versions: [share("few", 5), share("most", 95)] }],
    },
    "versions view most": { prints: { resources: { bindings: [{ name: "STORE", text: "d1" }] } } },
    "d1 list": { prints: [{ name: DATABASE }] },
    d1_migrations: show({ name: "0001_collection.sql" }),
    "FROM current_snapshot": show(snapshot),
    "bulk get": { prints: { "current-snapshot": JSON.stringify(snapshot) } },
    "deploy --tag": { reports: { type: "deploy", version_id: "new" } },
  };
  const CONFIG = "--config wrangler.toml";
  const NO_WORKER = { "deployments list": { fails: "[code: 10007]" } };
  const EMPTY = { "FROM current_snapshot": show({ ...snapshot, id: null }), "bulk get": { prints: {} } };
  const CHANGE = [...DEPLOY, "--change-store"];
  const DEMO = [...PREVIEW, "--name", "demo"];
  const INFO = ["tools/data/data-command.ts", "info", "--remote"];
  const failing = (command: string, message: string) => ({
    [command]: { fails: "above", reports: { type: "command-failed", message, code: 10021 } },
  });

  interface Case {
    answers?: Record<string, Answer>;
    args?: string[];
    env?: NodeJS.ProcessEnv;
    input?: string;
    kv?: true;
    api?: object;
  }

  async function run({ answers, args = DEPLOY, env, input, kv, ...changes }: Case) {
    const { api, project, useKv } = await openAccount();
    api.workers.set(WORKER, [{ id: "new", bindings: [], tag: undefined }]);
    Object.assign(api, changes.api);
    const urls = { preview_urls: ["https://demo.example"], deployment_urls: [api.origin] };
    const preview = { "preview --name demo": { reports: { type: "preview", ...urls } } };
    const listCalls = project.replaceWrangler({ ...answers, ...ANSWERS, ...preview, ...answers });
    if (kv) useKv();
    return { ...(await project.run(args, env, input)), calls: listCalls() };
  }

  // biome-ignore format: a table of cases
  test.each<[name: string, Case, status: number, printed: RegExp]>([
    ["a deployment waits for its version", { api: { lateVersions: ["old"] } }, 0, /healthz still reports version old instead of new\n.*\nDeployed to http/],
    ["a deployment says what is wrong, and how to go back", { api: { missingHeader: "Vary" } }, 1,
      /Failed: check the deployment\.\n(Not checked[^\n]*\n)?List records\.Vary .*\nTo go back: npx wrangler rollback most --config wrangler\.toml\n$/s],
    ["a deployment that the user declines is a failure", { answers: { "deploy --tag": { reports: { type: "deploy", version_id: null } } } }, 1,
      /Failed: deploy the worker\.\nThe deployment was cancelled, .* rollback most /s],
    ["a deployment shows wrangler's output and reason", { answers: failing("deploy --tag", "too large") }, 1, /\nabove\nFailed: deploy the worker\.\nwrangler failed: too large \[code: 10021\]\n\nTo go back/],
    ["a deployment whose store cannot be read is not begun", { answers: { "d1 list": { fails: "no token" } } }, 1,
      /Failed: prepare the store\.\nwrangler d1 list .* failed:\nno token\n\nThe worker was not deployed\.\n$/],
    ["a deployment without records never loads the sample data", { answers: EMPTY }, 1,
      /No records were found in the d1.*`npm run data -- load data\/seed\/\*\.csv --remote --store d1`\.\n/],
    ["a deployment does not change the store by mistake", { kv: true }, 1, /serves the d1 store, but STORE .* is "kv"/],
    ["a deployment to a namespace with records changes the store", { kv: true, args: CHANGE }, 0, /Deployed to http/],
    ["a deployment to a namespace without records does not", { kv: true, args: CHANGE, answers: EMPTY }, 1, /prepare the store\.\nNo records were found in the kv store.* up to a minute late\.\n/],
    ["not even the first deployment loads the sample data into a namespace", { kv: true, answers: { ...NO_WORKER, ...EMPTY } }, 1, /No records were found in the kv store/],
    ["a first deployment that fails is continued", { answers: { ...NO_WORKER, ...failing("deploy --tag", "no") } }, 1, /To continue, run the command again\.\n$/],
    ["a preview shows wrangler's reason", { args: DEMO, answers: failing("preview", "no") }, 1,
      /Failed: deploy the preview\.\nwrangler failed: no \[code: 10021\]\n\nTo continue, run the command again\.\n$/],
    ["a preview says what is wrong, and how to remove it", { args: DEMO, api: { missingHeader: "Vary" } }, 1,
      /Failed: check the preview\.\n.*List records\.Vary .*\nTo remove the preview, run: npx wrangler preview delete --name demo --config wrangler\.toml\n$/s],
    ["npm run data warns if its store is not the deployed one", { kv: true, args: INFO, answers: EMPTY }, 0,
      /Using the deployed kv store\.\nWarning: .* serves the d1 store.*`--store d1`\.\n$/],
  ])("%s", async (_, given, status, printed) => {
    const { calls, ...finished } = await run(given);
    expect([finished.status, finished.stdout + finished.stderr]).toEqual([status, expect.stringMatching(printed)]);
    expect(calls.filter((call) => /INSERT|--file|put|create/.test(call)), "nothing is written").toEqual([]);
  });

  test("a later deployment runs these commands of wrangler, with the name that Workers Builds sets, and passes on the user's answers", async () => {
    const { calls } = await run({
      env: { WRANGLER_CI_OVERRIDE_NAME: "counts" },
      input: "yes",
      answers: {
        "d1 list": { prints: [{ name: "other" }] },
        "deploy --tag": { ...ANSWERS["deploy --tag"], asks: true },
      },
    });
    const execute = "d1 execute DB --yes --json --command SELECT";
    expect(calls).toEqual([
      `deployments list --json --name counts ${CONFIG}`,
      `versions view most --json --name counts ${CONFIG}`,
      `d1 list --json ${CONFIG}`,
      `d1 create ${DATABASE} ${CONFIG}`,
      `${execute} name FROM d1_migrations --remote ${CONFIG}`,
      `${execute} id, count, loaded_at, source FROM current_snapshot --remote ${CONFIG}`,
      expect.stringMatching(/^deploy --tag=[0-9a-f]{7,}-dirty --config wrangler\.toml$/),
      "yes, CI: undefined",
    ]);
  });

  test("a deployment that is interrupted ends wrangler, too, and names the step", async ({ expect }) => {
    const { project } = await openAccount();
    const listCalls = project.replaceWrangler({ "deployments list": { hangs: true } });
    const child = project.start(DEPLOY);
    await expect.poll(listCalls).toHaveLength(1);
    child.kill("SIGTERM");
    const stderr = "\nInterrupted: prepare the store. The worker was not deployed.\n";
    expect(await finish(child)).toEqual({ status: 143, stdout: "> prepare the store\n", stderr });
    await expect.poll(listCalls).toContain("stopped");
  });
});

test("the commands of docs/deploying.md that change the store keep the source of the records", async () => {
  const { folder, write, run } = createDataFolder();
  await run("load", "--store", "d1", await write("counts.csv", makeRecords(40)));
  const commands = [...readSection("Change the store").matchAll(/`npm run data -- (\w+) --remote ?(.*?)`/g)];
  expect(commands.map(([, command]) => command)).toEqual(["info", "export", "load"]);
  for (const [, command = "", args = ""] of commands) {
    const given = args.replace("records.csv", join(folder, "records.csv")).split(" ").filter(Boolean);
    await run(command, "--store", command === "load" ? "kv" : "d1", ...given);
  }
  expect((await run("info", "--store", "kv")).stdout).toMatch(/^sources +counts\.csv$/m);
});
