import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { stringify } from "smol-toml";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfiguration } from "../../tools/data/stores/configuration.ts";
import { formatCsv, makeRecords } from "../records/sample.ts";
import { serve } from "../support/serve.ts";
import { createFolder } from "../support/temporary-folder.ts";
import { runData, runProcess } from "./command-line/run-command.ts";
import { createProject } from "./deploy/project.ts";

/** Uncomments `routes`. */
const ROUTES = [/# (?=routes = )/, ""] as const;

const RECORDS = formatCsv(makeRecords(20));

/** Reads the address that a server prints: the group of the pattern. */
async function readAddress(output: Readable, pattern: RegExp): Promise<string> {
  const lines = [];
  for await (const line of createInterface(output)) {
    const [, address] = pattern.exec(line) ?? [];
    if (address) return address;
    lines.push(line);
  }
  throw new Error(`The server has ended:\n${lines.join("\n")}`);
}

/** Runs an npm command in a folder until the test ends. Returns the address that it prints: the group of the pattern. */
function startNpm(cwd: string, args: string[], pattern: RegExp): Promise<string> {
  const npm = spawn("npm", args, { cwd, detached: true, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void process.kill(-Number(npm.pid), "SIGTERM"));
  return readAddress(npm.stdout, pattern);
}

test("npm start serves the loaded records without a rate limit, and ends with npm", async () => {
  const folder = createFolder();
  const file = join(folder, "records.csv");
  await writeFile(file, RECORDS);
  await runData(["load", file, "--persist-to", folder]);
  const { origin, terminate } = await serve(folder);
  const page = await (await fetch(`${origin}/api/tf1/records/`)).json();
  expect(page).toMatchObject({ count: 20 });
  expect(await (await fetch(origin)).json()).toMatchObject({ rate_limit_seconds: null });
  // Wrangler's Local Explorer runs any SQL.
  expect((await fetch(`${origin}/cdn-cgi/local/explorer`)).status).toBe(404);
  await terminate();
  await expect(fetch(origin)).rejects.toThrow("fetch failed");
});

test("npm start responds with 304 behind a proxy that forwards the client's host and scheme", async () => {
  const { origin, close } = await serve(createFolder(), "--var", "PUBLIC_ORIGIN:https://counts.example");
  onTestFinished(close);
  const forwarded = ["-H", "Host: counts.example", "-H", "X-Forwarded-Proto: https"];
  const request = async (...headers: string[]) => {
    const shown = "%{http_code} %header{etag} %header{link}";
    const args = ["-so", "/dev/null", "-w", shown, ...forwarded, ...headers, `${origin}/api/tf1/records/`];
    return (await promisify(execFile)("curl", args)).stdout.split(" ");
  };
  const [status, etag, link] = await request();
  expect([status, link]).toEqual(["200", "</>;"]);
  expect(await request("-H", `If-None-Match: ${etag}`)).toMatchObject(["304", etag, ""]);
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

// Wrangler accepts each name in two spellings.
test.each([
  ["--env-file .npmrc", "does not support --env-file"],
  ["--envFile=.npmrc", "does not support --env-file"],
  ["-e other", "does not support -e"],
  ["--persist-to", "--persist-to needs one path"],
  ["--persistTo", "--persist-to needs one path"],
  ["--config a.toml -c b.toml", "--config needs one path"],
  ["--config own.jsonc", "own.jsonc is not supported. It must be TOML"],
])("npm start refuses %s", async (options, reason) => {
  const { status, stderr } = await runProcess(process.execPath, ["tools/start.ts", ...options.split(" ")]);
  expect([status, stderr]).toEqual([1, expect.stringContaining(reason)]);
});

test.each(["http", "https"])(
  "npm start shows an invalid setting at once over %s, without a request",
  async (protocol) => {
    const options = ["--port", "0", "--inspector-port", "0", "--persist-to", createFolder()];
    options.push("--local-protocol", protocol);
    const args = ["tools/start.ts", ...options, "--var", "PREFER:delay=1", "FAULTS:maybe"];
    const server = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    await readAddress(server.stderr, /(FAULTS is \\"maybe\\"; it must be)/);
    const ended = once(server, "exit");
    server.kill("SIGINT");
    await ended;
  },
);

test("npm start and npm run data use the user's folder, KV and a domain as described in wrangler.toml", async () => {
  const { folder, configure, addOtherConfigurations } = createProject("http://localhost");
  addOtherConfigurations();
  configure(...ROUTES);
  configure('PUBLIC_ORIGIN = ""', 'PUBLIC_ORIGIN = "https://counts.example"');
  configure(/# (\[\[kv_namespaces\]\])\n# (binding = .*)\n(?:# (\w+ = .*)\n)?/, "$1\n$2\n$3\n");
  const cwd = join(folder, "docs");
  const options = ["--port", "0", "--inspector-port", "0", "--var", "STORE:kv", "--persist-to", "state"];
  const origin = await startNpm(cwd, ["start", "--", ...options], /Ready on (http:\S+)/);
  expect(await (await fetch(`${origin}/api/tf1/records/`)).json()).toMatchObject({
    count: 40_614,
    next: `${origin}/api/tf1/records/?format=api&page=2`,
  });
  const args = ["run", "data", "--", "info", "--store", "kv", "--persist-to", "state"];
  expect((await runProcess("npm", args, { cwd })).stdout).toMatch(
    /^store .*\(.*\/docs\/state\/v3\/kv\/.*\n(.*\n)+records +40614\n/m,
  );
  expect((await runProcess("npm", args.with(-1, "other"), { cwd })).stdout).toMatch(
    /^Nothing is loaded in the kv store \(.*\/docs\/other\/v3\/kv\/.*\)\.$/m,
  );
});

test("npm run build bundles this worker, even if wrangler itself would choose another project", async () => {
  const { folder, addOtherConfigurations } = createProject("http://localhost");
  addOtherConfigurations();
  const { status, stderr } = await runProcess("npm", ["run", "build"], { cwd: folder });
  expect([status, stderr]).toEqual([0, ""]);
  expect(await readFile(join(folder, "dist/worker/index.js"), "utf8")).toContain("/api/tf1/records/");
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

describe("in a fresh clone", () => {
  const project = createProject("http://localhost");
  const build = () => project.run(["tools/build-assets.ts"], { WRANGLER_COMMAND: "dev" });

  test("the build of wrangler dev loads the sample data once, even if two run at the same time", async () => {
    const builds = await Promise.all([build(), build()]);
    expect(builds).toMatchObject(Array(2).fill({ status: 0, stderr: "" }));
    expect(builds.filter(({ stdout }) => stdout.includes("Loaded 40614 records."))).toHaveLength(1);
    expect(await build(), "a build after a change").toEqual({ status: 0, stdout: "", stderr: "" });
  });

  /** Starts plain `wrangler dev`. Returns its home page in JSON and the headers of its records. */
  async function startDev(store: string) {
    const options = ["--port", "0", "--inspector-port", "0", "--var", `STORE:${store}`];
    const server = project.start(["node_modules/wrangler/bin/wrangler.js", "dev", ...options]);
    const origin = await readAddress(server.stdout, /Ready on (http:\S+)/);
    const home = await (await fetch(origin)).json();
    const source = (await fetch(`${origin}/api/tf1/records/`)).headers.get("Data-Source");
    const ended = once(server, "exit");
    server.kill("SIGINT");
    await ended;
    return { origin, home, source };
  }

  test.each(["d1", "seed"])("plain wrangler dev serves the sample data with STORE %s", async (store) => {
    const { origin, home, source } = await startDev(store);
    expect(home).toMatchObject({ count: 40_614, sample_data_url: `${origin}/seed.csv.gz` });
    expect(source).toBe("generated");
  });

  test("after a change of the sample data, d1 keeps its records, and only the new ones are offered as a file", async () => {
    const file = join(project.folder, "data/seed/2019.csv");
    const before = await readFile(file, "utf8");
    await writeFile(file, before.replace(/\d+,tf1\n/, "77,tf1\n"));
    expect(await startDev("d1")).toMatchObject({ home: { sample_data_url: null }, source: "generated" });
    const { origin, home, source } = await startDev("seed");
    expect(home).toMatchObject({ sample_data_url: `${origin}/seed.csv.gz` });
    expect(source).toBe("2019.csv, 2025.csv");
    await writeFile(file, before);
  });

  test("plain wrangler dev starts no server whose links lead to production", async () => {
    const other = createProject("http://localhost");
    const environment = { WRANGLER_COMMAND: "dev" };
    other.configure('PUBLIC_ORIGIN = ""', 'PUBLIC_ORIGIN = "https://counts.example"');
    const own = await other.run(["tools/build-assets.ts"], environment);
    expect([own.status, own.stderr]).toEqual([1, expect.stringContaining("PUBLIC_ORIGIN")]);
    other.configure(...ROUTES);
    const routed = await other.run(["tools/build-assets.ts"], environment);
    expect([routed.status, routed.stderr]).toEqual([1, expect.stringContaining("routes")]);
  });

  // Wrangler would obey these settings, so a load could fill a store that is not served.
  test.each<{ setting: string; file: string; command: string[]; env?: NodeJS.ProcessEnv }>([
    { setting: "STORE", file: ".dev.vars", command: ["tools/start.ts"] },
    { setting: "PREFER", file: ".env.local", command: ["tools/data/data-command.ts", "info"] },
    { setting: "CLOUDFLARE_ENV", file: ".env", command: ["tools/deploy/deploy.ts", "deploy"] },
    {
      setting: "CLOUDFLARE_ENV",
      file: "none",
      command: ["tools/build-assets.ts"],
      env: { CLOUDFLARE_ENV: "other", WRANGLER_COMMAND: "deploy" },
    },
  ])("$command refuses the setting $setting in $file", async ({ setting, file, command, env }) => {
    const path = join(project.folder, file);
    await writeFile(path, `${setting}=kv\n`);
    onTestFinished(() => rm(path));
    const { status, stderr } = await project.run(command, env);
    expect([status, stderr]).toEqual([1, expect.stringContaining(setting)]);
  });

  test("an invalid line of the sample data is reported, and wrangler dev keeps the last valid one", async () => {
    const file = join(project.folder, "data/seed/2019.csv");
    const snapshot = join(project.folder, "dist/assets/api/seed/current-snapshot.json");
    const before = await readFile(snapshot, "utf8");
    await writeFile(file, (await readFile(file, "utf8")).replace(/\n\d+,/, "\nx,"));
    const stderr = expect.stringMatching(/data\/seed\/2019\.csv:2: id "x" .*\n.* not built\.\n$/);
    const kept = expect.stringMatching(
      /data\/seed\/2019\.csv:2: id "x" .*\n.* not built\.\n.* stays in use\.\n$/,
    );
    expect(await build()).toEqual({ status: 0, stdout: "", stderr: kept });
    expect(await readFile(snapshot, "utf8")).toBe(before);
    const deployed = { WRANGLER_COMMAND: "deploy" };
    expect(await project.run(["tools/build-assets.ts"], deployed)).toEqual({ status: 1, stdout: "", stderr });
    await rm(snapshot);
    expect(await build(), "without earlier sample data").toEqual({ status: 1, stdout: "", stderr });
  });

  test("npm start names the files of a folder of sample data that contains no records", async () => {
    const seed = join(project.folder, "data/seed");
    for (const name of await readdir(seed)) if (name !== "README.md") await rm(join(seed, name));
    const empty = ["--persist-to", createFolder()];
    expect(await project.run(["tools/start.ts", ...empty])).toEqual({
      status: 1,
      stdout: expect.stringMatching(/^Nothing is loaded in .*\n$/),
      stderr: expect.stringMatching(
        /data\/seed: contains no file .*: \["README\.md"\]\nNothing was loaded\.\n$/,
      ),
    });
  });
});
