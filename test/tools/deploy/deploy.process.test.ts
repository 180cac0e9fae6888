import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createApp } from "../../../src/app.ts";
import { FORMAT } from "../../../src/store/snapshot.ts";
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

// A deployment starts wrangler many times. Cloudflare's API is a stub.
describe.concurrent("with the real wrangler,", { timeout: 900_000 }, async () => {
  const accounts = [await openAccount(), await openAccount()] as const;
  for (const { api, project } of accounts) {
    // Built before all tests. The build of a deployment then only compares the sources.
    cpSync("dist", join(project.folder, "dist"), { recursive: true });
    // The address that wrangler reports does not exist.
    project.configure('PUBLIC_ORIGIN = ""', `PUBLIC_ORIGIN = "${api.origin.replace("http", "HTTP")}/"`);
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
      "> wait for the deployment",
      expect.stringContaining("still reports version old instead of "),
      "> check the deployment",
      `Deployed to ${api.origin}`,
    ]);
    const loaded = api.database?.sqlite.prepare("SELECT count FROM snapshot").get();
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
    const [live] = api.versions;
    // The address of a version does not exist, either.
    api.previewSuffix = "-counts.invalid";
    const later = project.start(DEPLOY);
    later.stdout.on("data", (text) => text.includes("did not respond") && later.kill());
    const { stdout: waiting } = await finish(later);
    expect(waiting).toMatch(
      /^> wait for the new version\n.*: https:\/\/[0-9a-f]{8}-counts\.invalid\/healthz did/m,
    );
    // Its links do not lead to the live version.
    expect(api.uploads.get(WORKER)).toContain('"name":"PUBLIC_ORIGIN","type":"plain_text","text":""');
    expect(api.versions).toEqual([live]);
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

/**
 * What a program in place of wrangler does for a command: it prints a value as JSON, reports a deployment, waits for a signal, or fails with
 * an error. An answer can be for commands after another one.
 */
type Answer = { after?: string; prints?: unknown; reports?: object; hangs?: boolean; fails?: string };

/** Notes its arguments, its input and its end by a signal in a file, and gives the first answer whose name is in the arguments. */
const PROGRAM = `const { appendFileSync, readFileSync } = require("node:fs");
const command = process.argv.slice(2).join(" ").replace(/\\s+/g, " ");
const earlier = readFileSync(process.env.CALLS, "utf8");
const note = (line) => appendFileSync(process.env.CALLS, line + "\\n");
process.once("SIGTERM", () => process.exit(note("stopped")));
note(command);
const answers = JSON.parse(process.env.ANSWERS);
const isFor = ([part, { after = "" }]) => command.includes(part) && earlier.includes(after);
const [, { prints, reports, hangs, fails } = {}] = answers.find(isFor) ?? [];
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
  kvProject.configure("preview_urls = true", "preview_urls = false");
  for (const { replaceWrangler } of [project, kvProject]) replaceWrangler(PROGRAM);
  api.versions = ["new"];
  // The deployed worker breaks a rule.
  api.missingHeader = "Vary";

  const show = (...results: object[]): Answer => ({ prints: [{ results, meta: { changes: 0 } }] });
  const snapshot = { format: FORMAT, id: "loaded", count: 0, loaded_at: null, source: "" };
  const share = (version_id: string, percentage: number) => ({ version_id, percentage });
  const DEPLOYMENTS = [{ versions: [share("old", 100)] }, { versions: [share("few", 5), share("most", 95)] }];
  /** The new version is live as soon as it is deployed. */
  const LIVE = {
    "deployments list --json": { after: "deploy --tag", prints: [{ versions: [share("new", 100)] }] },
  };
  /** A worker with several versions, and a database and a namespace with records. */
  const ANSWERS: Record<string, Answer> = {
    ...LIVE,
    "deployments list": { prints: DEPLOYMENTS },
    "versions view new": { prints: { resources: {} } },
    "versions view most": { prints: { resources: { bindings: [{ name: "STORE", text: "d1" }] } } },
    "d1 list": { prints: [{ name: DATABASE }] },
    d1_migrations: show({ name: "0001_collection.sql" }),
    "FROM snapshot": show(snapshot),
    "bulk get": { prints: { "current-snapshot": JSON.stringify(snapshot) } },
    "versions upload": { reports: { type: "version-upload", version_id: "new", preview_url: api.origin } },
    "deploy --tag": { reports: { type: "deploy", version_id: "new", targets: [api.origin] } },
    "preview --name demo": {
      reports: { type: "preview", preview_urls: ["https://demo.example"], deployment_urls: [api.origin] },
    },
  };
  const CONFIG = "--config wrangler.toml";
  const NO_WORKER = { fails: "[code: 10007]" };
  /** Preview URLs are off, so a version is checked when it is live. */
  const NO_ADDRESS = { "versions upload": { reports: { type: "version-upload", version_id: "new" } } };
  /** A deployment fails before the new version is live. */
  const NOT_LIVE = { ...NO_ADDRESS, "deployments list": { prints: DEPLOYMENTS } };
  const EMPTY = { "FROM snapshot": show({ ...snapshot, id: null }), "bulk get": { prints: {} } };
  const DECLINED = { ...NOT_LIVE, "deploy --tag": { reports: { type: "deploy", version_id: null } } };
  const CHANGE = [...DEPLOY, "--change-store"];
  const DEMO = [...PREVIEW, "--name", "demo"];
  const INFO = ["tools/data/data-command.ts", "info", "--remote"];
  const failing = (command: string) => ({
    [command]: { fails: "above", reports: { type: "command-failed", message: "too large", code: 10021 } },
  });

  const REJECTED = failing("deploy --tag");
  const UNANSWERED = { "deployments list --json": { after: "deploy --tag", fails: "no" } };
  const REASON = "\\nwrangler failed: too large \\[code: 10021\\]";
  const RULE = "List records\\.Vary ";
  const AGAIN = "To continue, run the command again\\.";
  const OLD = "Nothing was deployed: ";
  const NEW = "The live version is new\\. To go back: npx wrangler rollback most --config wrangler\\.toml";
  const REMOVE =
    "To remove the preview, run: npx wrangler preview delete --name demo --config wrangler\\.toml";
  const UNKNOWN = "To see which version is live, run: ";
  /** Returns what a deployment prints at its end. */
  const ends = (step: string, reason: string, live: string) =>
    new RegExp(`\\nFailed: ${step}\\..*${reason}.*\\n\\n${live}[^\\n]*\\n$`, "s");

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
    ["a deployment whose store cannot be read is not begun", { answers: { "d1 list": { fails: "no token" } } }, 1, ends("prepare the store", "no token", OLD)],
    ["a version that cannot be uploaded is not live", { answers: failing("versions upload") }, 1, ends("upload the new version", REASON, OLD)],
    ["a version that the user declines is not live", { answers: { "versions upload": DECLINED["deploy --tag"] } }, 1, ends("upload the new version", "cancelled", OLD)],
    ["a version that wrangler does not report is not live", { answers: { "versions upload": { reports: { type: "wrangler-session" } } } }, 1, ends("upload the new version", "wrangler failed", OLD)],
    ["a version that breaks a rule is not live", {}, 1, ends("check the new version", RULE, OLD)],
    ["a version that is rejected is not live", { answers: { ...NOT_LIVE, ...REJECTED } }, 1, ends("deploy the worker", REASON, `${OLD}.*${AGAIN}`)],
    ["a version whose domain is rejected is live", { answers: { ...NO_ADDRESS, ...REJECTED } }, 1, ends("deploy the worker", REASON, NEW)],
    ["a version is perhaps live if Cloudflare does not say", { answers: { ...UNANSWERED, ...NO_ADDRESS, ...REJECTED } }, 1, ends("deploy the worker", REASON, UNKNOWN)],
    ["a version without an address is live when it is checked", { answers: NO_ADDRESS }, 1, ends("check the deployment", RULE, NEW)],
    ["a first deployment that fails is continued", { answers: { "deployments list": NO_WORKER, ...REJECTED } }, 1, ends("deploy the worker", REASON, `${OLD}.*${AGAIN}`)],
    ["a first version is live when it is checked", { answers: { ...LIVE, "deployments list": NO_WORKER } }, 1, ends("check the deployment", RULE, `The live version is new\\. ${AGAIN}`)],
    ["a deployment without records never loads the sample data", { answers: EMPTY }, 1,
      /No records were found in the d1.*`npm run data -- load data\/seed\/\*\.csv --remote --store d1`\.\n/],
    ["a deployment does not change the store by mistake", { kv: true }, 1, /serves the d1 store, but STORE .* is "kv"/],
    ["a deployment to a namespace with records changes the store", { kv: true, args: CHANGE, answers: DECLINED }, 1, /prepare the store\n .*when it is live\.\n> deploy the worker\n.*The deployment was cancelled/s],
    ["a deployment to a namespace without records does not", { kv: true, args: CHANGE, answers: EMPTY }, 1, /prepare the store\.\nNo records were found in the kv store.* up to a minute late\.\n/],
    ["not even the first deployment loads the sample data into a namespace", { kv: true, answers: { "deployments list": NO_WORKER, ...EMPTY } }, 1, /No records were found in the kv store/],
    ["a preview shows wrangler's reason", { args: DEMO, answers: failing("preview") }, 1, ends("deploy the preview", REASON, AGAIN)],
    ["a preview says what is wrong, and how to remove it", { args: DEMO }, 1, ends("check the preview", RULE, REMOVE)],
    ["npm run data warns if its store is not the deployed one", { kv: true, args: INFO, answers: EMPTY }, 0,
      /Using the deployed kv store\.\nWarning: .* serves the d1 store.*`--store d1`\.\n$/],
  ])("%s", async ([, { args = DEPLOY, answers = {}, kv }, status, printed], { expect }) => {
    const { env, listCalls } = answer(answers);
    const finished = await (kv ? kvProject : project).run(args, env);
    expect([finished.status, finished.stdout + finished.stderr]).toEqual([status, expect.stringMatching(printed)]);
    expect(listCalls().filter((call) => /INSERT|--file|put|create/.test(call)), "nothing is written").toEqual([]);
    const isDeployed = finished.stdout.includes("> deploy the worker");
    expect(listCalls().some((call) => call.startsWith("deploy "))).toBe(isDeployed);
  });

  test("a later deployment runs these commands, and passes on the user's answer", async ({ expect }) => {
    const { env, listCalls } = answer({ "d1 list": { prints: [{ name: "other" }] }, ...NO_ADDRESS });
    // Workers Builds sets this name.
    const { stderr } = await project.run(DEPLOY, { ...env, WRANGLER_CI_OVERRIDE_NAME: "counts" }, "no");
    const execute = "d1 execute DB --yes --json --command SELECT";
    expect(listCalls()).toEqual([
      `deployments list --json --name counts ${CONFIG}`,
      `versions view most --json --name counts ${CONFIG}`,
      `d1 list --json ${CONFIG}`,
      `d1 create ${DATABASE} ${CONFIG}`,
      `${execute} name FROM d1_migrations --remote ${CONFIG}`,
      `${execute} id, count, loaded_at, source, format FROM snapshot WHERE role = 'current' --remote ${CONFIG}`,
      expect.stringMatching(
        /^versions upload --var PUBLIC_ORIGIN: --tag=[0-9a-f]{7,} --config wrangler\.toml$/,
      ),
      // The input has then ended.
      "no, CI: undefined",
      expect.stringMatching(/^deploy --tag=[0-9a-f]{7,} --config wrangler\.toml$/),
      `deployments list --json --name counts ${CONFIG}`,
      `versions view new --json --name counts ${CONFIG}`,
    ]);
    expect(stderr).toMatch(/Failed: check the deployment\..* rollback most --name counts --config /s);
  });

  // biome-ignore format: a table of cases
  test.for<[step: string, Record<string, Answer>, live: string]>([
    ["prepare the store", { "deployments list": { hangs: true } }, OLD],
    ["upload the new version", { "versions upload": { hangs: true } }, OLD],
    ["deploy the worker", { ...NO_ADDRESS, "deploy --tag": { hangs: true } }, UNKNOWN],
  ])("a deployment that is interrupted says so, and ends wrangler, too: %s", async ([step, answers, live], { expect }) => {
    const { env, listCalls } = answer(answers);
    const child = project.start(DEPLOY, env);
    const [call = ""] = Object.keys(answers).slice(-1);
    await expect.poll(() => listCalls().at(-1)).toContain(call);
    child.kill("SIGTERM");
    const stderr = expect.stringContaining(`\nInterrupted: ${step}. ${live}`);
    expect(await finish(child)).toMatchObject({ status: 143, stderr });
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
