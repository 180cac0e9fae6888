import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Account } from "./account.ts";

interface WranglerCall {
  args: string[];
  env: Record<string, string>;
  account: Account;
  /** The content of the databases, by their ids. */
  contents: Map<string, DatabaseSync>;
}

interface Call extends WranglerCall {
  /** Returns the value of an option. */
  option(name: string): string;
}

/**
 * A stub of wrangler: the commands that a deployment runs.
 * @returns the output that the real wrangler prints
 * @throws with the error message of the real wrangler
 */
export function runWranglerStub(call: WranglerCall): string {
  const { args } = call;
  const option = (name: string) => String(args[args.indexOf(name) + 1]);
  const [name, execute] =
    Object.entries(COMMANDS).find(([words]) => `${args.join(" ")} `.startsWith(`${words} `)) ?? [];
  if (!execute) throw new Error(`The stub of wrangler does not have the command ${args.join(" ")}.`);
  return execute({ ...call, args: args.slice(String(name).split(" ").length), option }) ?? "";
}

const COMMANDS: Record<string, (call: Call) => string | undefined> = {
  "d1 list": ({ account }) => JSON.stringify(account.databases),
  "d1 create": ({ account, args: [name = ""] }) => {
    if (account.databases.some((database) => database.name === name))
      fail("A database with that name already exists");
    account.databases.push({ uuid: `id-of-${name}`, name });
  },
  "d1 delete": ({ account, contents, args: [name] }) => {
    contents.delete(`id-of-${name}`);
    account.databases = account.databases.filter((database) => database.name !== name);
  },
  "d1 migrations apply": (call) => {
    const { sqlite } = openDatabase(call);
    sqlite.exec("CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)");
    const note = sqlite.prepare("INSERT OR IGNORE INTO d1_migrations (name) VALUES (?)");
    for (const name of readdirSync("data/migrations").sort())
      if (note.run(name).changes > 0) sqlite.exec(readFileSync(join("data/migrations", name), "utf8"));
  },
  "d1 execute": (call) => {
    const { sqlite, entry } = openDatabase(call);
    if (!call.args.includes("--file")) {
      const changes = () => Number(sqlite.prepare("SELECT total_changes() AS changes").get()?.changes);
      const before = changes();
      const results = sqlite.prepare(call.option("--command")).all();
      return JSON.stringify([{ results, success: true, meta: { changes: changes() - before } }]);
    }
    sqlite.exec(`BEGIN; ${readFileSync(call.option("--file"), "utf8")}; COMMIT`);
    const load = String(sqlite.prepare("SELECT load FROM state").get()?.load);
    if (load !== "") entry.load = load;
    return "";
  },
  "kv namespace list": ({ account }) => JSON.stringify(account.namespaces),
  "kv namespace create": ({ account, args: [title = ""] }) => {
    account.namespaces.push({ id: `id-of-${title}`, title });
  },
  "kv namespace delete": ({ account, option }) => {
    account.namespaces = account.namespaces.filter(({ id }) => id !== option("--namespace-id"));
  },
  deploy: ({ account, env }) => {
    account.versions.push(`version-${account.versions.length + 1}`);
    if (account.failureAfterUpload !== undefined) fail(account.failureAfterUpload);
    const version_id = account.versions.at(-1);
    const targets = ["schedule: 0 * * * *", account.origin];
    writeEntry(env, { type: "deploy", version: 1, version_id, targets });
  },
  "preview delete": ({ account, option }) => {
    if (!account.previews.includes(option("--name"))) fail("This preview does not exist. [code: 10025]");
    account.previews = account.previews.filter((name) => name !== option("--name"));
  },
  preview: ({ account, env, option }) => {
    const name = option("--name");
    if (!account.previews.includes(name)) account.previews.push(name);
    account.versions.push(`version-${account.versions.length + 1}`);
    writeEntry(env, {
      type: "preview",
      version: 1,
      preview_urls: [account.origin],
      deployment_urls: [account.origin],
    });
  },
  rollback: ({ account, args: [version = ""] }) => void account.versions.push(version),
  "deployments list": ({ account }) => {
    if (account.versions.length === 0) fail("This Worker does not exist on your account. [code: 10007]");
    const deployments = account.versions.map((id) => ({ versions: [{ version_id: id, percentage: 100 }] }));
    return JSON.stringify(deployments.slice(-10));
  },
  "versions list": ({ account }) => {
    const versions = [...new Set(account.versions)].map((id) => ({
      id,
      annotations: { "workers/tag": `tag-of-${id}`, "workers/message": "site: a login" },
    }));
    return JSON.stringify(versions);
  },
};

/** Finds the database whose id is in the configuration file of the call. It is a real SQLite database in memory. */
function openDatabase({ account, contents, option }: Call) {
  const configuration = JSON.parse(readFileSync(option("--config"), "utf8"));
  const id = configuration.d1_databases[0].database_id;
  const entry = account.databases.find(({ uuid }) => uuid === id) ?? fail(`Couldn't find a D1 DB ${id}`);
  const sqlite = contents.get(id) ?? new DatabaseSync(":memory:");
  contents.set(id, sqlite);
  return { entry, sqlite };
}

/** Writes an entry to the file in which wrangler reports what it did. */
function writeEntry(env: Record<string, string>, entry: unknown): void {
  const lines = [{ type: "wrangler-session", version: 1 }, entry].map((line) => `${JSON.stringify(line)}\n`);
  appendFileSync(String(env.WRANGLER_OUTPUT_FILE_PATH), lines.join(""));
}

function fail(message: string): never {
  throw new Error(message);
}
