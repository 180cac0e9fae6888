import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { Unstable_RawConfig as RawConfig } from "wrangler";
import type { Dependencies } from "../../../tools/deploy/dependencies.ts";
import { createFolder } from "../../temporary-folder.ts";

/** An account in memory, whose resources have the ids `id-of-` and their names, and a record of what was done with it. */
export interface Account {
  databases: string[];
  namespaces: string[];
  /** The previews that were removed. */
  removed: string[];
  /** The ids that workers use. */
  usedIds: string[];
  hasSubdomain: boolean;
  /** The ids of the accounts that the login has. */
  accounts: string[];
  /** What wrangler reports of the deployment. */
  report: object;
  /** The response of `/healthz`. */
  respondHealth(): Response;
  /** Calls that fail: the beginning of the call, and what is printed. */
  failures: Record<string, string>;
  /** The programs that were called, with paths as FILE. */
  calls: string[];
  printed: string[];
  dependencies: Dependencies;
}

export const CONFIGURATION: RawConfig = {
  name: "counts",
  main: "src/index.ts",
  workers_dev: true,
  vars: { STORE: "d1" },
  d1_databases: [{ binding: "DB", migrations_dir: "migrations" }],
  kv_namespaces: [{ binding: "KV" }],
  previews: {
    vars: { STORE: "d1" },
    d1_databases: [{ binding: "DB" }],
    kv_namespaces: [{ binding: "KV" }],
  },
};

/** Creates a git repository with one commit, on the branch `login`. */
export function createRepository(origin?: string): string {
  const folder = join(createFolder(), "repository");
  const git = (command: string) => execFileSync("git", command.split(" "), { cwd: folder });
  mkdirSync(folder);
  git("init --quiet --initial-branch login");
  if (origin !== undefined) git(`remote add origin ${origin}`);
  writeFileSync(join(folder, ".gitignore"), ".wrangler\n");
  git("add .");
  git("-c user.name=t -c user.email=t@example.org commit --quiet --message site:login");
  return folder;
}

/** Creates an account and dependencies that use it, and replaces `fetch` until the end of the test. */
export function createAccount(project: string, changes: Partial<Account> = {}): Account {
  const record = (call: string) => {
    account.calls.push(call.replaceAll(project, "PROJECT"));
    const [, failure] =
      Object.entries(account.failures).find(([beginning]) => call.startsWith(beginning)) ?? [];
    if (failure !== undefined) throw new Error(failure);
  };
  const dependencies: Dependencies = {
    async wrangler(args) {
      record(`wrangler ${args.join(" ")}`);
      return answer(account, args);
    },
    async run(program, args, env = {}) {
      const file = env.WRANGLER_OUTPUT_FILE_PATH;
      const report = (entry: object) => file && appendFileSync(file, `${JSON.stringify(entry)}\n`);
      report({ type: "wrangler-session" });
      try {
        record([program, ...args].join(" ").replace(/ --tag \w+(-dirty)? --message .*/, " --tag COMMIT$1"));
        report(account.report);
      } catch (error) {
        report({ type: "command-failed", message: Object(error).message });
        throw new Error(`${program} ${args.join(" ")} failed. Its output is above.`);
      }
    },
    loadSeed: async ({ store, config }) => record(`load the seed into ${store} with ${config}`),
    print: (line) => void account.printed.push(line),
    sleep: async () => {},
    project,
    isTerminal: false,
  };
  const account: Account = {
    databases: [],
    namespaces: [],
    removed: [],
    usedIds: [],
    hasSubdomain: true,
    accounts: ["account"],
    report: {
      type: "deploy",
      version_id: "v1",
      targets: ["schedule: 5 * * * *", "https://counts.me.workers.dev"],
    },
    respondHealth: () => Response.json({ code: { id: "v1" } }),
    failures: {},
    calls: [],
    printed: [],
    dependencies,
    ...changes,
  };
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "");
  vi.stubGlobal("fetch", async (url: string) => respond(account, url));
  onTestFinished(() => void vi.unstubAllGlobals().unstubAllEnvs());
  return account;
}

/** What wrangler prints. */
function answer(account: Account, args: string[]): string {
  const text = args.join(" ");
  const { databases, namespaces } = account;
  const remove = (list: string[], name: string) => void list.splice(list.indexOf(name), 1);
  if (text.startsWith("d1 list"))
    return JSON.stringify(databases.map((name) => ({ name, uuid: `id-of-${name}` })));
  if (text.startsWith("kv namespace list"))
    return JSON.stringify(namespaces.map((title) => ({ title, id: `id-of-${title}` })));
  if (text.startsWith("auth token")) return JSON.stringify({ type: "api_token", token: "secret" });
  if (text.startsWith("whoami")) return JSON.stringify({ accounts: account.accounts.map((id) => ({ id })) });
  if (text.startsWith("d1 create")) databases.push(String(args[2]));
  else if (text.startsWith("kv namespace create")) namespaces.push(String(args[3]));
  else if (text.startsWith("d1 delete")) remove(databases, String(args[2]));
  else if (text.startsWith("kv namespace delete")) remove(namespaces, String(args[4]).replace("id-of-", ""));
  else if (text.startsWith("preview delete")) account.removed.push(String(args[3]));
  else throw new Error(`Unexpected: wrangler ${text}`);
  return "";
}

/** Responds as Cloudflare's API and as the deployed service. */
function respond(account: Account, url: string): Response {
  if (url.endsWith("/healthz")) return account.respondHealth();
  const succeed = (result: unknown) => Response.json({ success: true, errors: [], result });
  const fail = (code: number, message: string) =>
    Response.json({ success: false, errors: [{ code, message }], result: null });
  if (url.endsWith("/accounts/account/workers/subdomain"))
    return account.hasSubdomain ? succeed({ subdomain: "me" }) : fail(10007, "no subdomain");
  if (url.endsWith("/accounts/account/workers/scripts"))
    return succeed([{ id: "unrelated" }, { id: "exporter" }]);
  if (url.endsWith("/workers/scripts/unrelated/settings"))
    return succeed({ bindings: [{ name: "A", type: "ai" }] });
  if (url.endsWith("/workers/scripts/exporter/settings"))
    return succeed({ bindings: account.usedIds.map((id) => ({ name: "DB", type: "d1", id })) });
  return fail(7003, `no route for ${url}`);
}
