import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { type Account, readAccount, recordCall, writeAccount } from "./account.ts";

interface Call {
  args: string[];
  account: Account;
  /** Returns the value of an option. */
  option(name: string): string;
}

/** A stub of wrangler: the commands that a deployment runs, with the output of the real ones. */
export function run(folder: string, args: string[]): void {
  recordCall(folder, "wrangler", args);
  const account = readAccount(folder);
  const option = (name: string) => String(args[args.indexOf(name) + 1]);
  const [name, execute] =
    Object.entries(COMMANDS).find(([words]) => `${args.join(" ")} `.startsWith(`${words} `)) ?? [];
  if (!execute) throw new Error(`The stub of wrangler does not have the command ${args.join(" ")}.`);
  execute({ args: args.slice(String(name).split(" ").length), account, option });
  writeAccount(folder, account);
}

const COMMANDS: Record<string, (call: Call) => void> = {
  "d1 list": ({ account }) => console.log(JSON.stringify(account.databases)),
  "d1 create": ({ account, args: [name = ""] }) => {
    if (account.databases.some((database) => database.name === name))
      fail("A database with that name already exists");
    account.databases.push({ uuid: `id-of-${name}`, name });
  },
  "d1 delete": ({ account, args: [name] }) => {
    account.databases = account.databases.filter((database) => database.name !== name);
  },
  "d1 migrations apply": (call) => {
    findDatabase(call).migrated = true;
  },
  "d1 execute": (call) => {
    const database = findDatabase(call);
    if (!database.migrated) fail("no such table: state");
    if (!call.args.includes("--file")) {
      const applied = JSON.stringify(readdirSync("data/migrations"));
      console.log(JSON.stringify([{ results: [{ version: database.version ?? 0, applied }], meta: {} }]));
    } else if (readFileSync(call.option("--file"), "utf8").includes("state")) database.version = Date.now();
  },
  "kv namespace list": ({ account }) => console.log(JSON.stringify(account.namespaces)),
  "kv namespace create": ({ account, args: [title = ""] }) => {
    account.namespaces.push({ id: `id-of-${title}`, title });
  },
  "kv namespace delete": ({ account, option }) => {
    account.namespaces = account.namespaces.filter(({ id }) => id !== option("--namespace-id"));
  },
  deploy: ({ account }) => {
    account.versions.push(`version-${account.versions.length + 1}`);
    const version_id = account.versions.at(-1);
    writeEntry({ type: "deploy", version: 1, version_id, targets: ["schedule: 0 * * * *", account.origin] });
  },
  "preview delete": ({ account, option }) => {
    if (!account.previews.includes(option("--name"))) fail("This preview does not exist. [code: 10025]");
    account.previews = account.previews.filter((name) => name !== option("--name"));
  },
  preview: ({ account, option }) => {
    const name = option("--name");
    if (!account.previews.includes(name)) account.previews.push(name);
    account.versions.push(`version-${account.versions.length + 1}`);
    writeEntry({
      type: "preview",
      version: 1,
      preview_urls: [account.origin],
      deployment_urls: [account.origin],
    });
  },
  rollback: ({ account, args: [first = ""] }) => {
    const earlier = account.versions.at(-2);
    if (earlier === undefined) fail("Could not find stable Worker Version to rollback to");
    account.versions.push(first.startsWith("-") ? String(earlier) : first);
  },
  "deployments status": ({ account }) => {
    console.log(JSON.stringify({ versions: [{ version_id: account.versions.at(-1), percentage: 100 }] }));
  },
};

/** Finds the database whose id is in the configuration file of the call. */
function findDatabase({ account, option }: Call) {
  const configuration = JSON.parse(readFileSync(option("--config"), "utf8"));
  const id = configuration.d1_databases[0].database_id;
  const found = account.databases.find(({ uuid }) => uuid === id);
  return found ?? fail(`Couldn't find a D1 DB ${id}`);
}

/** Writes an entry to the file in which wrangler reports what it did. */
function writeEntry(entry: unknown): void {
  const lines = [{ type: "wrangler-session", version: 1 }, entry].map((line) => `${JSON.stringify(line)}\n`);
  appendFileSync(String(process.env.WRANGLER_OUTPUT_FILE_PATH), lines.join(""));
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
