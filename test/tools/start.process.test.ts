import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { stringify } from "smol-toml";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readConfiguration } from "../../tools/data/stores/configuration.ts";
import { createProject, UNCOMMENT_ROUTES } from "../support/project.ts";
import { runData, runProcess } from "../support/run-command.ts";
import { formatCsv, makeRecords } from "../support/sample-records.ts";
import { readAddress } from "../support/serve.ts";
import { createFolder } from "../support/temporary-folder.ts";

/**
 * Runs npm, and a process that waits for the end of its input. At the end, the process sends the signal of Ctrl-C to the process
 * group, which contains npm, the command and workerd.
 */
const START = `
  { read -r _; kill -s INT -- -$$; } <&3 >/dev/null 2>&1 &
  exec 3<&- npm "$@"
`;

/**
 * Starts an npm command in a folder, and reads the address that it prints: the group of the pattern. The command ends with this process,
 * even if this process is killed, because the pipe between them is then closed.
 */
async function startNpm(cwd: string, args: string[], pattern: RegExp) {
  const npm = spawn("bash", ["-c", START, "npm", ...args], {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  const closed = once(npm, "close");
  const interrupt = () => void npm.stdio[3]?.destroy();
  npm.once("exit", interrupt);
  const endBy = async (end: () => unknown) => {
    end();
    await closed;
  };
  return {
    address: await readAddress(npm.stdout!, pattern),
    close: () => endBy(interrupt),
    /** Stops npm, as a supervisor does that does not know npm's child processes. */
    terminate: () => endBy(() => npm.kill("SIGTERM")),
  };
}

/** Runs `npm start` on a free port. Without the second port, two commands that start at the same time can choose the same one. */
const start = (cwd: string, ...args: string[]) =>
  startNpm(
    cwd,
    ["start", "--", "--port", "0", ...args, "--", "--inspector-port", "0"],
    /Ready on (http:\S+)/,
  );

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
  const state = join(folder, ".wrangler/state");
  const { address, close } = await start(".", "--config", config, "--persist-to", state);
  onTestFinished(close);
  expect(await (await fetch(`${address}/api/tf1/records/`)).json()).toMatchObject({ count: 40_614 });
  expect((await runData(["info", "--config", config])).stdout).toContain("40614");
});

test("npm installs packages on an older Node, also for a user who has set engine-strict", async () => {
  const file = join(createFolder(), "npmrc");
  await writeFile(file, "engine-strict=true\n");
  const env = { ...process.env, npm_config_userconfig: file };
  expect((await runProcess("npm", ["config", "get", "engine-strict"], { env })).stdout).toBe("false\n");
});

// biome-ignore format: a table of cases
test.each<[args: string, status: number, reason: string, npm?: object]>([
  ["--var PREFER:delay=1 FAULTS:maybe", 1, 'FAULTS is "maybe"; it must be "on" or "off"'],
  ["--var STORE:kv", 1, 'STORE is "kv", but no [[kv_namespaces]] binds KV in wrangler.toml'],
  ["--var PREFER", 2, "must be a name and a value"],
  ["--prot 9000", 2, "Did you mean --port?"],
  ["9000", 2, '"9000" follows no option. npm takes options'],
  ["", 2, "--ip did not arrive. npm takes options", { npm_package_name: "traffic-count-records", npm_config_ip: "0.0.0.0" }],
])("npm start -- %s starts nothing, and says why", async (given, status, reason, npm) => {
  const folder = createFolder();
  const args = ["tools/start.ts", "--persist-to", folder, ...given.split(" ").filter(Boolean)];
  const finished = await runProcess(process.execPath, args, { env: { ...process.env, ...npm } });
  expect(finished).toEqual({ status, stdout: "", stderr: expect.stringContaining(reason) });
  expect(existsSync(join(folder, "v3"))).toBe(false);
});

describe("npm start in a folder of the clone, with KV and a domain as described in wrangler.toml,", () => {
  const { folder, configure, addOtherConfiguration } = createProject("http://localhost");
  const cwd = join(folder, "docs");
  let npm: Awaited<ReturnType<typeof start>>;
  let origin: string;
  beforeAll(async () => {
    addOtherConfiguration();
    configure(...UNCOMMENT_ROUTES);
    configure('PUBLIC_ORIGIN = ""', 'PUBLIC_ORIGIN = "https://counts.example"');
    // A mistake in the previews, which `npm start` does not serve.
    configure('STORE = "seed"', 'STORE = "x"');
    configure(/# (\[\[kv_namespaces\]\])\n# (binding = .*)\n(?:# (\w+ = .*)\n)?/, "$1\n$2\n$3\n");
    npm = await start(cwd, "--persist-to", "state");
    origin = npm.address;
  });
  afterAll(() => npm?.close());

  test("serves the sample data without a rate limit, also behind a proxy", async () => {
    expect(await (await fetch(origin)).json()).toMatchObject({ count: 40_614, rate_limit_seconds: null });
    // Wrangler's Local Explorer runs any SQL.
    expect((await fetch(`${origin}/cdn-cgi/local/explorer`)).status).toBe(404);
    // Nothing would delete its traces of requests.
    expect(existsSync(join(cwd, "state/v3/observability"))).toBe(false);
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
  });

  test("and npm run data use the store of the changed configuration in the user's folder", async () => {
    const readStore = async () => Object(await (await fetch(`${origin}/healthz`)).json()).store;
    expect(await readStore()).toBe("d1");
    configure('STORE = "d1"', 'STORE = "kv"');
    await expect.poll(readStore, { interval: 200 }).toBe("kv");
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

  test("ends with npm", async () => {
    await npm.terminate();
    await expect(fetch(origin)).rejects.toThrow("fetch failed");
  });
});

test("npm run serve in a workspace serves a file of the current folder", async () => {
  // A copy, because other tests use the builds of this project.
  const { folder } = createProject("http://localhost");
  const cwd = join(folder, "..");
  await writeFile(join(cwd, "package.json"), JSON.stringify({ workspaces: ["project"] }));
  await writeFile(join(cwd, "counts.csv"), formatCsv(makeRecords(20)));
  const args = ["run", "--silent", "serve", "--workspace", "project", "--", "counts.csv", "--port", "0"];
  const { address, close } = await startNpm(cwd, args, /^Serving at (.+)$/);
  onTestFinished(close);
  expect(await (await fetch(`${address}/api/tf1/records/`)).json()).toMatchObject({ count: 20 });
});

test("a setting in the project's .env is refused, wherever the configuration is", async () => {
  const { folder, run } = createProject("http://localhost");
  const config = join(folder, "../own.toml");
  await writeFile(config, "");
  // Wrangler runs in this folder, and reads the file.
  await writeFile(join(folder, ".env"), "STORE=kv\n");
  const { status, stderr } = await run(["tools/data/data-command.ts", "info", "--config", config]);
  expect([status, stderr]).toEqual([1, expect.stringContaining(".env sets STORE")]);
});
