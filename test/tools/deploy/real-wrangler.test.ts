import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen } from "../../listen.ts";
import { finish } from "../../processes.ts";
import type { Finished } from "../../run-command.ts";
import { createFolder } from "../../temporary-folder.ts";
import { createRepository } from "./recording.ts";
import { type Api, openApi } from "./stub/api.ts";

// These tests run the commands and the real wrangler as processes. Only Cloudflare's API is a stub. Each test continues with the
// account and the project of the one before.

const WORKER = "traffic-count-records";
const PREVIEW = `${WORKER}-preview-77df07-login`;

let api: Api;
let project: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  api = await openApi();
  project = createRepository("https://github.com/owner/counts");
  cpSync("wrangler.toml", join(project, "wrangler.toml"));
  for (const name of ["src", "data", "dist"]) symlinkSync(resolve(name), join(project, name));
  const home = createFolder();
  const { CI: _, WORKERS_CI: __, ...inherited } = process.env;
  env = {
    ...inherited,
    CLOUDFLARE_API_BASE_URL: `${api.origin}/client/v4`,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "account",
    HOME: home,
    XDG_CONFIG_HOME: home,
  };
});
afterAll(() => api.close());

const commandLine = (args: string[]) => [
  process.execPath,
  resolve("test/tools/deploy/run-deploy.ts"),
  project,
  ...args,
];

function start(args: string[], changes: NodeJS.ProcessEnv = {}) {
  const [node = "", ...rest] = commandLine(args);
  return spawn(node, rest, { stdio: ["ignore", "pipe", "pipe"], env: { ...env, ...changes } });
}

const run = (...args: string[]) => finish(start(args));
const deploy = () => run("deploy", "--skip-checks", "--url", api.origin);

/** Returns what a command prints. */
async function succeed(command: Promise<Finished>): Promise<string> {
  const { status, stdout, stderr } = await command;
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

/** Changes a setting of production, and of previews too. */
function set(name: string, value: string): void {
  const file = join(project, "wrangler.toml");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replaceAll(RegExp(`^${name} = ".*"$`, "gm"), `${name} = "${value}"`),
  );
}

const readState = (): unknown => {
  const [database] = api.databases.list();
  return (
    database && api.databases.query(database.uuid, { sql: "SELECT load, count FROM state" })[0]?.results[0]
  );
};

test("without a token, the error explains how to log in", async () => {
  const { status, stderr } = await finish(start(["deploy", "--skip-checks"], { CLOUDFLARE_API_TOKEN: "" }));
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^Step 1 of 5 failed: .*The token needs the perm/s),
  ]);
});

test("on a terminal, wrangler asks for a subdomain, and the deployment continues", async () => {
  api.subdomain = undefined;
  const command = commandLine(["deploy", "--skip-checks", "--url", api.origin]).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], { stdio: ["pipe", "pipe", "pipe"], env });
  const answers: [question: string, answer: string][] = [
    ["register a workers.dev subdomain now?", "y"],
    ["like your workers.dev subdomain to be?", "mine\r"],
    ["Ok to proceed?", "y"],
  ];
  let shown = "";
  child.stdout.on("data", (chunk) => {
    shown += chunk;
    const [question, answer] = answers[0] ?? [];
    if (question === undefined || !shown.includes(question)) return;
    answers.shift();
    shown = "";
    child.stdin.write(String(answer));
  });
  const { status, stdout } = await finish(child);
  expect([status, api.subdomain, answers], stdout).toEqual([0, "mine", []]);
  expect(stdout).toContain(`Deployed to ${api.origin}`);
  expect(readState()).toMatchObject({ count: 40_614 });
  const [database] = api.databases.list();
  expect(database?.name).toBe(`${WORKER}-db`);
  expect(api.workers.get(WORKER)?.bindings).toContainEqual({ name: "DB", type: "d1", id: database?.uuid });
  expect(api.namespaces).toEqual([]);
});

test("the commands for data find the database of production without a configuration file", async () => {
  const args = ["tools/data/cli.ts", "info", "--remote"];
  const { stdout } = await finish(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env }));
  expect(stdout).toMatch(/^records +40614$/m);
});

test("a second deployment keeps the records", async () => {
  const before = readState();
  await succeed(deploy());
  expect(readState()).toEqual(before);
});

test("a preview gets its own namespace, with the seed", async () => {
  set("STORE", "kv");
  const printed = await succeed(run("preview", "--skip-checks"));
  expect(printed, "wrangler accepts the settings").not.toMatch(/warning/i);
  expect(api.namespaces).toEqual([{ id: expect.anything(), title: PREVIEW }]);
  const id = String(api.namespaces[0]?.id);
  const texts = [...(api.pairs.get(id)?.values() ?? [])];
  expect(texts).toContainEqual(expect.stringContaining('"count":40614'));
  expect(api.workers.get(`${WORKER}/login`)?.metadata).toContain(`"namespace_id":"${id}"`);
});

test("the removal of previews deletes all that belongs to them, and nothing else", async () => {
  const foreign = [`${WORKER}-preview-eu`, `${WORKER}-preview-1a2b3c-login`];
  for (const name of foreign) {
    api.databases.create(name);
    api.namespaces.push({ id: `id-of-${name}`, title: name });
  }
  api.databases.create(PREVIEW);
  expect(await succeed(run("preview", "--delete-except", "echo other"))).toContain("to be removed: login");
  expect([...api.workers.keys()]).toEqual([WORKER]);
  expect(api.databases.list().map(({ name }) => name)).toEqual([`${WORKER}-db`, ...foreign]);
  expect(api.namespaces.map(({ title }) => title)).toEqual(foreign);
  expect(await succeed(run("preview", "--delete"))).toContain("the preview login does not exist");
  expect(api.unknown).toEqual([]);
});

test("on a signal the command names the interrupted step and stops wrangler", async () => {
  // This server never responds, so the first step does not end.
  const server = createServer();
  const { origin, close } = await listen(server);
  const requested = once(server, "request");
  const child = start(["preview", "--delete"], { CLOUDFLARE_API_BASE_URL: `${origin}/client/v4` });
  const ended = finish(child);
  const [request] = await requested;
  const disconnected = once(request.socket, "close");
  child.kill("SIGTERM");
  const { status, stderr } = await ended;
  expect([status, stderr]).toEqual([143, expect.stringContaining('during the step "find the previews"')]);
  await disconnected;
  await close();
});
