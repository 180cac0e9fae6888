import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createApp } from "../../../src/app.ts";
import { createDeployProgram } from "../../../tools/deploy/deploy.ts";
import { getBundleFolder } from "../../support/bundled-worker.ts";
import { createProject } from "../../support/project.ts";
import { finish } from "../../support/run-command.ts";
import { makeRecords } from "../../support/sample-records.ts";
import { createFolder } from "../../support/temporary-folder.ts";
import { createDataFolder } from "../data/data-folder.ts";
import { DATABASE_ID, openCloudflare } from "./cloudflare.ts";

const WORKER = "traffic-count-records";
const DATABASE = `${WORKER}-db`;
const DEPLOY = ["tools/deploy/deploy.ts", "deploy"];
const PREVIEW = ["tools/deploy/deploy.ts", "preview"];

const DOCS = readFileSync("docs/deploying.md", "utf8");

const readSection = (title: string) => DOCS.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "";

/** Opens an account, and a clone of the repository that deploys to it. */
async function openAccount() {
  const api = await openCloudflare();
  return { api, project: createProject(api.origin) };
}

function useKv({ configure }: ReturnType<typeof createProject>): void {
  configure('STORE = "d1"', 'STORE = "kv"');
  configure(/# (\[\[kv_namespaces\]\])\n# (.*)/, '$1\n$2\nid = "0f2ac74b498b48028cb68387c421e279"');
}

test("each option of npm run deploy and npm run preview is used in a test of this file", () => {
  const used = readFileSync(import.meta.filename, "utf8");
  const options = createDeployProgram().commands.flatMap((command) => command.options);
  expect(options.map(({ long }) => long).filter((long) => !used.includes(`"${long}"`))).toEqual([]);
});

// A deployment starts wrangler many times. Cloudflare's API is a stub.
describe.concurrent("with the real wrangler,", { timeout: 900_000 }, async () => {
  const accounts = [await openAccount(), await openAccount()] as const;
  for (const { api, project } of accounts) {
    // Built before all tests. The build of a deployment then only compares the sources.
    cpSync("dist", join(project.folder, "dist"), { recursive: true });
    // The address that wrangler reports does not exist.
    project.configure('PUBLIC_ORIGIN = ""', `PUBLIC_ORIGIN = "${api.origin}"`);
  }

  test("the first deployment serves the sample data, and is removed as documented", async ({ expect }) => {
    const [{ api, project }] = accounts;
    project.addOtherConfiguration();
    // Wrangler reads this file, too.
    writeFileSync(join(project.folder, ".env"), "WRANGLER_LOG=debug\n");
    const { status, stdout, stderr } = await project.run(DEPLOY);
    expect(status, stdout + stderr).toBe(0);
    expect(stdout.match(/^(> | {2}waiting|Deployed to ).+/gm)).toEqual([
      "> prepare the store",
      "> deploy the worker",
      "> wait for the new version",
      expect.stringContaining("still reports version old instead of "),
      "> check the deployment",
      `Deployed to ${api.origin}`,
    ]);
    const loaded = api.database?.sqlite.prepare("SELECT count FROM current_snapshot").get();
    expect([api.database?.name, loaded]).toEqual([DATABASE, { count: 40_614 }]);
    expect([...api.uploads.keys()]).toEqual([WORKER]);
    expect(api.uploads.get(WORKER)).toContain(`"id":"${DATABASE_ID}"`);
    expect(api.uploads.get(WORKER)).toContain(
      '"type":"ratelimit","namespace_id":"1001","simple":{"limit":1000',
    );
    expect(api.uploads.get(WORKER)).toMatch(/"workers\/tag":"[0-9a-f]{7,}-dirty"/);
    expect([...api.checked]).toEqual(
      expect.arrayContaining(["/", "/docs", "/openapi.json", "/api/tf1/records/"]),
    );
    useKv(project);
    api.namespace = new Map();
    const removals = [...readSection("Remove a deployment").matchAll(/^npx wrangler (.*)$/gm)];
    const remove = ([, args = ""]: string[]) =>
      project.run(["node_modules/wrangler/bin/wrangler.js", ...args.split(" ")]);
    // Without a terminal, wrangler does not ask.
    expect(await Promise.all(removals.map(remove))).toMatchObject(removals.map(() => ({ status: 0 })));
    expect([api.uploads.size, api.database, api.namespace]).toEqual([0, undefined, undefined]);
  });

  test("a preview of the branch needs no store, and its address is printed last", async ({ expect }) => {
    const [, { api, project }] = accounts;
    const { status, stdout, stderr } = await project.run(PREVIEW);
    expect([status, stderr], "wrangler accepts the settings").toEqual([0, ""]);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("https://branch.example");
    expect([...api.uploads.keys()]).toEqual([`${WORKER}/feature/login`]);
    expect(api.database).toBeUndefined();
  });
});

/** What a program in place of wrangler does for a command: it prints a value as JSON, reports a deployment, waits for a signal, or fails with an error. */
type Answer = { prints?: unknown; reports?: object; hangs?: boolean; fails?: string };

/** Notes its arguments, its input and its end by a signal in a file, and gives the first answer whose name is in the arguments. */
const PROGRAM = `const { appendFileSync, readFileSync } = require("node:fs");
const command = process.argv.slice(2).join(" ").replace(/\\s+/g, " ");
const note = (line) => appendFileSync(process.env.CALLS, line + "\\n");
process.once("SIGTERM", () => process.exit(note("stopped")));
note(command);
const answers = JSON.parse(process.env.ANSWERS);
const [, { prints, reports, hangs, fails } = {}] = answers.find(([part]) => command.includes(part)) ?? [];
if (reports) appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify(reports));
if (prints) console.log(JSON.stringify(prints));
const input = readFileSync(0, "utf8");
if (input) note(input + ", CI: " + process.env.CI);
if (fails) console.error(fails);
if (hangs) setInterval(() => {}, 1_000);
process.exitCode = fails ? 1 : 0;`;

describe.concurrent("with a program in place of wrangler,", async () => {
  const { api, project } = await openAccount();
  const kvProject = createProject(api.origin);
  useKv(kvProject);
  for (const { replaceWrangler } of [project, kvProject]) replaceWrangler(PROGRAM);
  api.versions = ["new"];
  // The deployed worker breaks a rule.
  api.missingHeader = "Vary";

  const show = (...results: object[]): Answer => ({ prints: [{ results, meta: { changes: 0 } }] });
  const snapshot = { id: "loaded", count: 0, loaded_at: null, source: "" };
  const share = (version_id: string, percentage: number) => ({ version_id, percentage });
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
    "deploy --tag": { reports: { type: "deploy", version_id: "new", targets: [api.origin] } },
    "preview --name demo": {
      reports: { type: "preview", preview_urls: ["https://demo.example"], deployment_urls: [api.origin] },
    },
  };
  const CONFIG = "--config wrangler.toml";
  const NO_WORKER = { "deployments list": { fails: "[code: 10007]" } };
  const EMPTY = { "FROM current_snapshot": show({ ...snapshot, id: null }), "bulk get": { prints: {} } };
  const DECLINED = { "deploy --tag": { reports: { type: "deploy", version_id: null } } };
  const CHANGE = [...DEPLOY, "--change-store"];
  const DEMO = [...PREVIEW, "--name", "demo"];
  const INFO = ["tools/data/data-command.ts", "info", "--remote"];
  const failing = (command: string, message: string) => ({
    [command]: { fails: "above", reports: { type: "command-failed", message, code: 10021 } },
  });

  /** Returns the environment of a command for which wrangler gives these answers, and a function that lists the calls. */
  function answer(answers: Record<string, Answer>) {
    const file = join(createFolder(), "calls");
    writeFileSync(file, "");
    const all = [...Object.entries(answers), ...Object.entries(ANSWERS)];
    const env = { CALLS: file, ANSWERS: JSON.stringify(all) };
    return { env, listCalls: () => readFileSync(file, "utf8").split("\n").slice(0, -1) };
  }

  interface Case {
    args?: string[];
    answers?: Record<string, Answer>;
    kv?: true;
  }

  // biome-ignore format: a table of cases
  test.for<[name: string, Case, status: number, printed: RegExp]>([
    ["a deployment says what is wrong, and how to go back", {}, 1,
      /Failed: check the deployment\.\n(Not checked[^\n]*\n)?List records\.Vary .*\nTo go back: npx wrangler rollback most --config wrangler\.toml\n$/s],
    ["a deployment shows wrangler's output and reason", { answers: failing("deploy --tag", "too large") }, 1, /\nabove\nFailed: deploy the worker\.\nwrangler failed: too large \[code: 10021\]\n\nTo go back/],
    ["a deployment whose store cannot be read is not begun", { answers: { "d1 list": { fails: "no token" } } }, 1,
      /Failed: prepare the store\.\nwrangler d1 list .* failed:\nno token\n\nThe worker was not deployed\.\n$/],
    ["a deployment without records never loads the sample data", { answers: EMPTY }, 1,
      /No records were found in the d1.*`npm run data -- load data\/seed\/\*\.csv --remote --store d1`\.\n/],
    ["a deployment does not change the store by mistake", { kv: true }, 1, /serves the d1 store, but STORE .* is "kv"/],
    ["a deployment to a namespace with records changes the store", { kv: true, args: CHANGE, answers: DECLINED }, 1, /> deploy the worker\n.*The deployment was cancelled/s],
    ["a deployment to a namespace without records does not", { kv: true, args: CHANGE, answers: EMPTY }, 1, /prepare the store\.\nNo records were found in the kv store.* up to a minute late\.\n/],
    ["not even the first deployment loads the sample data into a namespace", { kv: true, answers: { ...NO_WORKER, ...EMPTY } }, 1, /No records were found in the kv store/],
    ["a first deployment that fails is continued", { answers: { ...NO_WORKER, ...failing("deploy --tag", "no") } }, 1, /To continue, run the command again\.\n$/],
    ["a preview shows wrangler's reason", { args: DEMO, answers: failing("preview", "no") }, 1,
      /Failed: deploy the preview\.\nwrangler failed: no \[code: 10021\]\n\nTo continue, run the command again\.\n$/],
    ["a preview says what is wrong, and how to remove it", { args: DEMO }, 1,
      /Failed: check the preview\.\n.*List records\.Vary .*\nTo remove the preview, run: npx wrangler preview delete --name demo --config wrangler\.toml\n$/s],
    ["npm run data warns if its store is not the deployed one", { kv: true, args: INFO, answers: EMPTY }, 0,
      /Using the deployed kv store\.\nWarning: .* serves the d1 store.*`--store d1`\.\n$/],
  ])("%s", async ([, { args = DEPLOY, answers = {}, kv }, status, printed], { expect }) => {
    const { env, listCalls } = answer(answers);
    const finished = await (kv ? kvProject : project).run(args, env);
    expect([finished.status, finished.stdout + finished.stderr]).toEqual([status, expect.stringMatching(printed)]);
    expect(listCalls().filter((call) => /INSERT|--file|put|create/.test(call)), "nothing is written").toEqual([]);
  });

  test("a later deployment runs these commands, and passes on the user's answer", async ({ expect }) => {
    const { env, listCalls } = answer({ "d1 list": { prints: [{ name: "other" }] }, ...DECLINED });
    // Workers Builds sets this name.
    const { stderr } = await project.run(DEPLOY, { ...env, WRANGLER_CI_OVERRIDE_NAME: "counts" }, "no");
    const execute = "d1 execute DB --yes --json --command SELECT";
    expect(listCalls()).toEqual([
      `deployments list --json --name counts ${CONFIG}`,
      `versions view most --json --name counts ${CONFIG}`,
      `d1 list --json ${CONFIG}`,
      `d1 create ${DATABASE} ${CONFIG}`,
      `${execute} name FROM d1_migrations --remote ${CONFIG}`,
      `${execute} id, count, loaded_at, source FROM current_snapshot --remote ${CONFIG}`,
      expect.stringMatching(/^deploy --tag=[0-9a-f]{7,} --config wrangler\.toml$/),
      "no, CI: undefined",
    ]);
    expect(stderr).toMatch(/The deployment was cancelled, .* rollback most --name counts --config /s);
  });

  test("a deployment that is interrupted ends wrangler, too, and names the step", async ({ expect }) => {
    const { env, listCalls } = answer({ "deployments list": { hangs: true } });
    const child = project.start(DEPLOY, env);
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

test("the bundle has less than 64 KiB gzipped, names its functions as src/ does, and does not contain zod", () => {
  const bundle = readFileSync(join(getBundleFolder(), "index.js"), "utf8");
  expect(gzipSync(bundle).byteLength).toBeLessThan(64 * 1024);
  expect(bundle).toContain(`function ${createApp.name}(`);
  // All copies of zod share this registry.
  expect(bundle).not.toContain("__zod_globalRegistry");
});
