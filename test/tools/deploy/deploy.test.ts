import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { loadSeed } from "../../../data/load-seed.ts";
import { listen } from "../../listen.ts";
import { type Finished, finish } from "../../run-command.ts";
import { createProject, type Project } from "./project.ts";
import { type Api, openApi } from "./stub/api.ts";

// These tests run the commands and the real wrangler as processes. Only Cloudflare's API and the tests of a deployment are stubs.

const WORKER = "traffic-count-records";
const DATABASE = `${WORKER}-db`;
const CLI = "tools/deploy/cli.ts";
const WRANGLER = "node_modules/wrangler/bin/wrangler.js";

let api: Api;
let project: Project;
const open = async () => {
  api = await openApi();
  project = createProject(api.origin);
  // The address that wrangler reports does not exist.
  project.configure((text) => text.replace('PUBLIC_ORIGIN = ""', `PUBLIC_ORIGIN = "${api.origin}"`));
};
const close = () => api.close();

const deploy = (changes?: NodeJS.ProcessEnv) => project.run([CLI, "deploy"], changes);

/** Returns what a command prints. */
async function succeed(command: Promise<Finished>): Promise<string> {
  const { status, stdout, stderr } = await command;
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

/** Returns the error that a command prints. */
async function fail(command: Promise<Finished>): Promise<string> {
  const { status, stdout, stderr } = await command;
  expect(status, stdout + stderr).toBe(1);
  return stderr;
}

const listDatabases = () => api.databases.list().map(({ name }) => name);

const readState = () => {
  const [database] = api.databases.list();
  const query = { sql: "SELECT load, count FROM state" };
  return database && api.databases.query(database.uuid, query)[0]?.results[0];
};

/** The versions that were deployed to production, the latest last. */
const listVersions = () => api.workers.get(WORKER) ?? [];

/** Binds a namespace that exists, as docs/deploying.md says. */
function chooseKv(): void {
  const id = "0f2ac74b498b48028cb68387c421e279";
  api.namespaces.push({ id, title: `${WORKER}-kv` });
  project.configure((text) =>
    text
      .replace('STORE = "d1"', 'STORE = "kv"')
      .replace(
        '# [[kv_namespaces]]\n# binding = "KV"\n# id = "..."',
        `[[kv_namespaces]]\nbinding = "KV"\nid = "${id}"`,
      ),
  );
}

const readNamespace = () => {
  const [pairs] = api.pairs.values();
  return pairs?.get("state") && JSON.parse(String(pairs.get("state")));
};

describe("in a new account", () => {
  beforeAll(open);
  afterAll(close);

  test("without a token, the error explains how to log in", async () => {
    expect(await fail(deploy({ CLOUDFLARE_API_TOKEN: "" }))).toMatch(
      /^Step 1 of 5 failed: .*Log in with `npx wrangler login`.* The token needs the permissions .* Nothing was/s,
    );
  });

  test("of two accounts, the commands use the one that wrangler remembers or wrangler.toml names", async () => {
    api.accounts = ["first", "second"];
    expect(await fail(deploy())).toMatch(/^Step 1 of 5 failed: .*More than one account .*`first`.*`second`/s);
    await project.runOnTerminal([WRANGLER, "d1", "list"], [["Select an account", "\r"]]);
    const findAccount = async () => {
      api.refused = /\/d1\/database\?/;
      expect(await fail(deploy())).toMatch(/^Step 2 of 5 failed: prepare the store\..*Service Unavailable/s);
      return api.usedAccount;
    };
    expect(await findAccount()).toBe("first");
    project.configure((text) => `account_id = "second"\n${text}`);
    expect([await findAccount(), listDatabases()]).toEqual(["second", []]);
    project.configure((text) => text.replace(/^account_id.*\n/, ""));
  });

  test("a preview needs no store, and is not the first deployment of production", async () => {
    const { status, stdout, stderr } = await project.run([CLI, "preview"]);
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toContain(`npm run test:live with BASE_URL=${api.origin}`);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(api.origin);
    expect(stderr, "wrangler accepts the settings").toBe("");
    const [preview] = api.workers.get(`${WORKER}/feature/login`) ?? [];
    expect(preview?.bindings).toContainEqual(expect.objectContaining({ name: "STORE", text: "seed" }));
    expect(preview?.bindings.map(({ name }) => name)).not.toContain("DB");
    expect([listDatabases(), api.namespaces, listVersions()]).toEqual([[], [], []]);
  });

  test("the first deployment asks for a subdomain, creates the database and loads the seed", async () => {
    api.subdomain = undefined;
    const { status, stdout } = await project.runOnTerminal(
      [CLI, "deploy"],
      [
        ["register a workers.dev subdomain now?", "y"],
        ["like your workers.dev subdomain to be?", "mine\r"],
        ["Ok to proceed?", "y"],
      ],
    );
    expect([status, api.subdomain], stdout).toEqual([0, "mine"]);
    expect(stdout).toContain(`creating the database ${DATABASE}`);
    expect(stdout).toContain(`npm run test:live with BASE_URL=${api.origin}`);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(`Deployed to ${api.origin}`);
    expect([listDatabases(), api.namespaces, readState()]).toMatchObject([[DATABASE], [], { count: 40_614 }]);
    const [{ bindings, tag } = { bindings: [], tag: "" }, ...others] = listVersions();
    const [database] = api.databases.list();
    expect(bindings).toContainEqual({ name: "DB", type: "d1", id: database?.uuid });
    expect([tag, others]).toEqual([expect.stringMatching(/^[0-9a-f]{7,}-dirty$/), []]);
  });

  test("the commands for data find the database", async () => {
    expect(await succeed(project.run(["tools/data/cli.ts", "info", "--remote"]))).toMatch(
      /^records +40614$/m,
    );
  });

  test("a second deployment keeps the records, and its failure names the version before", async () => {
    const [state, [first]] = [readState(), listVersions()];
    const error = await fail(deploy({ NPM_STATUS: "1" }));
    expect(error).toMatch(/^Step 5 of 5 failed: test the deployment\.\nA test of .* failed\./);
    expect(error).toContain(`\`npx wrangler rollback ${first?.id}\``);
    expect([readState(), listVersions().length]).toEqual([state, 2]);
  });

  test("a deployment that the user declines is a failure", async () => {
    api.lastDeployedFrom = "api";
    const { status, stdout } = await project.runOnTerminal(
      [CLI, "deploy"],
      [["Would you like to continue?", "n"]],
    );
    api.lastDeployedFrom = "wrangler";
    expect([status, listVersions().length], stdout).toEqual([1, 2]);
    expect(stdout).toContain("Step 3 of 5 failed: deploy the worker.\r\nThe deployment was cancelled");
  });

  test("plain wrangler deploys with the same database, and npm run deploy does so again", async () => {
    const state = readState();
    await succeed(project.run([WRANGLER, "deploy"]));
    await succeed(deploy());
    const [first, ...later] = listVersions();
    expect(later.map(({ bindings }) => bindings.find(({ name }) => name === "DB"))).toEqual(
      Array(3).fill(first?.bindings.find(({ name }) => name === "DB")),
    );
    expect([listDatabases(), readState()]).toEqual([[DATABASE], state]);
  });

  test("after a change of STORE, the seed does not replace the records that are served", async () => {
    chooseKv();
    const error = await fail(deploy());
    expect(error).toMatch(/^Step 2 of 5 failed: .*Nothing was ever loaded into the kv store\./s);
    expect(error).toContain("`npm run data -- load --remote data/seed/*.csv`");
    expect([listVersions().length, readNamespace()]).toEqual([4, undefined]);
    for (const [name, value] of Object.entries(project.env)) vi.stubEnv(name, value);
    const choice = { remote: true, config: join(project.folder, "wrangler.toml"), settleMs: 0 };
    await loadSeed(choice).finally(() => vi.unstubAllEnvs());
    await succeed(deploy());
    expect(listVersions().at(-1)?.bindings).toContainEqual(
      expect.objectContaining({ name: "KV", namespace_id: api.namespaces[0]?.id }),
    );
  });

  test("the next commit updates the preview of its branch, and npx wrangler preview delete removes it", async () => {
    await succeed(project.run([CLI, "preview"]));
    expect(api.workers.get(`${WORKER}/feature/login`)).toHaveLength(2);
    await succeed(project.run([WRANGLER, "preview", "delete", "--skip-confirmation"]));
    expect([...api.workers.keys()]).toEqual([WORKER]);
  });

  test("nothing was requested that the stub does not know", () => expect(api.unknown).toEqual([]));

  test("on a signal the command names the interrupted step and stops wrangler", async () => {
    // This server never responds, so the first step does not end.
    const server = createServer();
    const { origin, close } = await listen(server);
    const requested = once(server, "request");
    const child = project.start([CLI, "deploy"], { CLOUDFLARE_API_BASE_URL: `${origin}/client/v4` });
    const ended = finish(child);
    const [request] = await requested;
    const disconnected = once(request.socket, "close");
    child.kill("SIGTERM");
    const { status, stderr } = await ended;
    expect([status, stderr]).toEqual([
      143,
      expect.stringContaining('during the step "find what is deployed". Run the same command again'),
    ]);
    await disconnected;
    await close();
  });
});

describe("in another account", () => {
  beforeAll(open);
  afterAll(close);

  test("after plain wrangler deploy, npm run deploy creates the tables and says how to load", async () => {
    await succeed(project.run([WRANGLER, "deploy"]));
    expect([listDatabases(), api.namespaces, listVersions().length]).toEqual([[DATABASE], [], 1]);
    expect(await fail(deploy())).toContain("Nothing was ever loaded into the d1 store.");
    expect(readState()).toMatchObject({ load: "", count: 0 });
    const files = ["2019-05-17", "2025-11-02"].map((day) => `data/seed/${day}.csv`);
    await succeed(project.run(["tools/data/cli.ts", "load", "--remote", ...files]));
    await succeed(deploy());
    expect(listVersions().length).toBe(2);
  });

  test("a namespace must have its id; then a first deployment loads the seed without a wait", {
    timeout: 70_000,
  }, async () => {
    api.workers.clear();
    chooseKv();
    project.configure((text) => text.replace(/^id = "/m, '# id = "'));
    expect(await fail(deploy())).toContain(
      `[[kv_namespaces]] in wrangler.toml has no id. Create a namespace with \`npx wrangler kv namespace create ${WORKER}-kv\``,
    );
    project.configure((text) => text.replace(/^# id = "/m, 'id = "'));
    await succeed(deploy());
    expect(readNamespace()).toMatchObject({ count: 40_614 });
  });

  test("with the seed as the store, nothing is prepared", async () => {
    project.configure((text) => text.replace('STORE = "kv"', 'STORE = "seed"'));
    expect(await succeed(deploy())).toContain("the seed is a part of the deployment");
    expect(api.unknown).toEqual([]);
  });
});
