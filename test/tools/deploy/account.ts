import { randomUUID } from "node:crypto";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createWritableD1Store } from "../../../tools/data/stores/d1-writer.ts";
import { applyMigrations, createLocalDatabase } from "../../../tools/data/stores/local-stores.ts";
import { replaceCollection } from "../../../tools/data/stores/writer.ts";
import { makeRecords, toCollection } from "../../support/sample-records.ts";
import { openCloudflare } from "./cloudflare.ts";
import type { Upload } from "./cloudflare-api.ts";
import { createProject } from "./project.ts";

export const WORKER = "traffic-count-records";
export const DATABASE = `${WORKER}-db`;
export const NAMESPACE = "0f2ac74b498b48028cb68387c421e279";
export const DEPLOY = ["tools/deploy/deploy.ts", "deploy"];
export const PREVIEW = ["tools/deploy/deploy.ts", "preview"];
export const DATA = "tools/data/data-command.ts";
export const WRANGLER = "node_modules/wrangler/bin/wrangler.js";

/** The option without which wrangler itself would use the other project. */
export const OWN = ["--config", "wrangler.toml"];

type Account = Awaited<ReturnType<typeof openAccount>>;

/**
 * Adds a test with a new account, and a clone of the repository that deploys to this account, beside another project. The tests of a group
 * run one after the other, because each starts wrangler many times.
 */
export const testAccount = (name: string, body: (account: Account) => Promise<void>) =>
  test(name, { concurrent: false, timeout: 900_000 }, async () => {
    const account = await openAccount();
    await body(account).finally(account.api.close);
    expect(account.api.unknown, "requests that the stub does not know").toEqual([]);
  });

async function openAccount() {
  const api = await openCloudflare();
  const project = createProject(api.origin);
  cpSync(await buildAssets(), join(project.folder, "dist"), { recursive: true });
  project.addOtherConfigurations();
  // The address that wrangler reports does not exist.
  project.configure('PUBLIC_ORIGIN = ""', `PUBLIC_ORIGIN = "${api.origin}"`);
  const account = {
    api,
    project,
    /** Runs a command, and expects an exit status. */
    async run(status: number, args: string[], changes?: NodeJS.ProcessEnv) {
      const finished = await project.run(args, changes);
      expect(finished.status, finished.stdout + finished.stderr).toBe(status);
      return finished;
    },
    listDatabases: () => [...api.databases.values()].map(({ name }) => name),
    /** Reads the current snapshot in the only database. */
    readCurrentSnapshot() {
      const [database] = api.databases.values();
      return database?.sqlite.prepare("SELECT id, count, source FROM current_snapshot").get();
    },
    /** Lists the versions that were deployed to production, newest last. */
    listVersions: (worker = WORKER) => api.workers.get(worker) ?? [],
    /** Puts versions into production, newest last, with a database of 40 records. */
    async putIntoProduction(...ids: string[]) {
      const sqlite = new DatabaseSync(":memory:");
      await applyMigrations(sqlite);
      const collection = toCollection(makeRecords(40).reverse(), ["counts.csv"]);
      await replaceCollection(createWritableD1Store(createLocalDatabase(sqlite)), collection);
      const database = randomUUID();
      api.databases.set(database, { name: DATABASE, sqlite });
      api.workers.set(
        WORKER,
        ids.map((id) => createUpload(id, database)),
      );
    },
    /** Binds a namespace as described in docs/deploying.md. */
    chooseKv(id = `id = "${NAMESPACE}"`) {
      project.configure('STORE = "d1"', 'STORE = "kv"');
      project.configure(/# (\[\[kv_namespaces\]\])\n# (.*)/, `$1\n$2\n${id}`);
    },
  };
  return account;
}

function createUpload(id: string, database: string): Upload {
  const bindings = [
    { type: "d1", name: "DB", id: database },
    { type: "plain_text", name: "STORE", text: "d1" },
  ];
  return { id, created_on: new Date().toISOString(), bindings, tag: undefined, message: undefined };
}

let building: Promise<string> | undefined;

/** Builds the static files once for all tests. The build of a deployment then only compares their sources. */
function buildAssets(): Promise<string> {
  building ??= (async () => {
    const { folder, run } = createProject("http://localhost");
    expect((await run(["tools/build-assets.ts"])).status).toBe(0);
    return join(folder, "dist");
  })();
  return building;
}
