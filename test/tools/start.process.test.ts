import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { stringify } from "smol-toml";
import { expect, onTestFinished, test } from "vitest";
import { readConfiguration } from "../../tools/data/stores/configuration.ts";
import { runData, runProcess } from "../support/run-command.ts";
import { formatCsv, makeRecords } from "../support/sample-records.ts";
import { readAddress, serve } from "../support/serve.ts";
import { createFolder } from "../support/temporary-folder.ts";
import { createProject, UNCOMMENT_ROUTES } from "./deploy/project.ts";

const RECORDS = formatCsv(makeRecords(20));

/** Runs an npm command in a folder until the test ends. Returns the address that it prints: the group of the pattern. */
function startNpm(cwd: string, args: string[], pattern: RegExp): Promise<string> {
  const npm = spawn("npm", args, { cwd, detached: true, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void process.kill(-Number(npm.pid), "SIGTERM"));
  return readAddress(npm.stdout, pattern);
}

test("npm start serves the loaded records without a rate limit, also behind a proxy, and ends with npm", async () => {
  const folder = createFolder();
  const file = join(folder, "records.csv");
  await writeFile(file, RECORDS);
  await runData(["load", file, "--persist-to", folder]);
  const { origin, terminate } = await serve(folder, "--var", "PUBLIC_ORIGIN:https://counts.example");
  expect(await (await fetch(origin)).json()).toMatchObject({ count: 20, rate_limit_seconds: null });
  // Wrangler's Local Explorer runs any SQL.
  expect((await fetch(`${origin}/cdn-cgi/local/explorer`)).status).toBe(404);
  // Nothing would delete its traces of requests.
  expect(existsSync(join(folder, "v3/observability"))).toBe(false);
  // A proxy that forwards the client's host and scheme.
  const forwarded = ["-H", "Host: counts.example", "-H", "X-Forwarded-Proto: https"];
  const request = async (...headers: string[]) => {
    const shown = "%{http_code} %header{etag} %header{link}";
    const args = ["-so", "/dev/null", "-w", shown, ...forwarded, ...headers, `${origin}/api/tf1/records/`];
    return (await promisify(execFile)("curl", args)).stdout.split(" ");
  };
  const [status, etag, link] = await request();
  expect([status, link]).toEqual(["200", "</>;"]);
  expect(await request("-H", `If-None-Match: ${etag}`)).toMatchObject(["304", etag, ""]);
  await terminate();
  await expect(fetch(origin)).rejects.toThrow("fetch failed");
});

test("npm start -- --config FILE prepares the store of that configuration in its folder", async () => {
  const folder = createFolder();
  const config = join(folder, "own.toml");
  const { main, assets, build, d1_databases, ...others } = Object(await readConfiguration());
  const configuration = {
    ...others,
    main: resolve(main),
    assets: { ...assets, directory: resolve(assets.directory) },
    build: { ...build, cwd: process.cwd() },
    d1_databases: [{ ...d1_databases[0], database_id: "own", migrations_dir: resolve("data/migrations") }],
  };
  await writeFile(config, stringify(configuration));
  const { origin, close } = await serve(join(folder, ".wrangler/state"), "--config", config);
  onTestFinished(close);
  expect(await (await fetch(`${origin}/api/tf1/records/`)).json()).toMatchObject({ count: 40_614 });
  expect((await runData(["info", "--config", config])).stdout).toContain("40614");
});

test("npm start -- --help shows the help of wrangler dev, and prepares nothing", async () => {
  const args = ["tools/start.ts", "--help", "--persist-to", createFolder(), "--var", "RATE_LIMIT:10"];
  const { status, stdout } = await runProcess(process.execPath, args);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^wrangler dev /)]);
});

test("npm installs packages on an older Node, also for a user who has set engine-strict", async () => {
  const file = join(createFolder(), "npmrc");
  await writeFile(file, "engine-strict=true\n");
  const env = { ...process.env, npm_config_userconfig: file };
  expect((await runProcess("npm", ["config", "get", "engine-strict"], { env })).stdout).toBe("false\n");
});

test.each([
  ["FAULTS:maybe", 'FAULTS is "maybe"; it must be "on" or "off"'],
  ["STORE:kv", 'STORE is "kv", but no [[kv_namespaces]] binds KV in wrangler.toml'],
])("npm start -- --var %s says why it is invalid, and starts nothing", async (setting, reason) => {
  const folder = createFolder();
  const args = ["tools/start.ts", "--persist-to", folder, "--var", "PREFER:delay=1", setting];
  expect(await runProcess(process.execPath, args)).toEqual({ status: 1, stdout: "", stderr: `${reason}\n` });
  expect(existsSync(join(folder, "v3"))).toBe(false);
});

test("npm start and npm run data use the user's folder, KV and a domain as described in wrangler.toml", async () => {
  const { folder, configure, addOtherConfigurations } = createProject("http://localhost");
  addOtherConfigurations();
  configure(...UNCOMMENT_ROUTES);
  configure('PUBLIC_ORIGIN = ""', 'PUBLIC_ORIGIN = "https://counts.example"');
  configure(/# (\[\[kv_namespaces\]\])\n# (binding = .*)\n(?:# (\w+ = .*)\n)?/, "$1\n$2\n$3\n");
  const cwd = join(folder, "docs");
  const options = ["--port", "0", "--inspector-port", "0", "--persist-to", "state"];
  const origin = await startNpm(cwd, ["start", "--", ...options], /Ready on (http:\S+)/);
  expect(await (await fetch(`${origin}/healthz`)).json()).toMatchObject({ store: "d1" });
  configure('STORE = "d1"', 'STORE = "kv"');
  const readStore = async () => Object(await (await fetch(`${origin}/healthz`)).json()).store;
  await expect.poll(readStore, { timeout: 30_000, interval: 500 }).toBe("kv");
  const next = `${origin}/api/tf1/records/?format=api&page=2`;
  expect(await (await fetch(`${origin}/api/tf1/records/`)).json()).toMatchObject({ count: 40_614, next });
  const args = ["run", "data", "--", "info", "--store", "kv", "--persist-to", "state"];
  expect((await runProcess("npm", args, { cwd })).stdout).toMatch(
    /^store .*\(.*\/docs\/state\/v3\/kv\/.*\n(.*\n)+records +40614\n/m,
  );
  expect((await runProcess("npm", args.with(-1, "other"), { cwd })).stdout).toMatch(
    /^Nothing is loaded in the kv store \(.*\/docs\/other\/v3\/kv\/.*\)\.$/m,
  );
});

test("npm run serve removes the files of earlier builds, and serves a file of the current folder, also in a workspace", async () => {
  // A copy, because other tests use the builds of this project.
  const { folder } = createProject("http://localhost");
  const output = join(folder, "dist/package");
  mkdirSync(output, { recursive: true });
  await writeFile(join(output, "chunk-00000000.js"), "");
  await writeFile(join(folder, "docs/counts.csv"), RECORDS);
  const args = ["run", "serve", "--", "counts.csv", "--port", "0"];
  const root = join(folder, "..");
  await writeFile(join(root, "package.json"), JSON.stringify({ workspaces: ["project"] }));
  await writeFile(join(root, "counts.csv"), RECORDS);
  for (const [cwd, ...options] of [[join(folder, "docs")], [root, "--workspace", "project"]] as const) {
    const url = await startNpm(cwd, [...options, ...args], /^Serving at (.+)$/);
    expect(await (await fetch(`${url}/api/tf1/records/`)).json(), cwd).toMatchObject({ count: 20 });
  }
  const left = ["chunk-00000000.js", "cli.js"].map((file) => existsSync(join(output, file)));
  expect(left).toEqual([false, true]);
});

// Wrangler would obey these settings, so a load could fill a store that is not served.
// biome-ignore format: a table of cases
test.each([
  { setting: "STORE", file: ".dev.vars", command: "tools/start.ts" },
  { setting: "PREFER", file: ".env.local", command: "tools/data/data-command.ts info" },
  { setting: "CLOUDFLARE_ENV", file: ".env", command: "tools/deploy/deploy.ts deploy" },
  // Wrangler reads this file in the folder in which it runs, wherever the configuration is.
  { setting: "CLOUDFLARE_ENV", file: ".env", command: "tools/data/data-command.ts info --config ../own.toml" },
])("$command refuses the setting $setting in $file", async ({ setting, file, command }) => {
  const { folder, run } = createProject("http://localhost");
  await writeFile(join(folder, "../own.toml"), "");
  await writeFile(join(folder, file), `${setting}=kv\n`);
  const { status, stderr } = await run(command.split(" "));
  expect([status, stderr]).toEqual([1, expect.stringContaining(setting)]);
});

test("npm start names the files of a folder of sample data that contains no records", async () => {
  const { folder, run } = createProject("http://localhost");
  const seed = join(folder, "data/seed");
  for (const name of await readdir(seed)) if (name !== "README.md") await rm(join(seed, name));
  const empty = ["--persist-to", createFolder()];
  expect(await run(["tools/start.ts", ...empty])).toEqual({
    status: 1,
    stdout: expect.stringMatching(/^Nothing is loaded in the d1 store .*\n$/),
    stderr: expect.stringMatching(
      /data\/seed: contains no file .*: \["README\.md"\]\nNothing was loaded\.\n$/,
    ),
  });
});
