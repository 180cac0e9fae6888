import { createServer } from "node:http";
import type { DatabaseSync } from "node:sqlite";
import type { StandIn } from "../../../../data/stores/wrangler.ts";
import { listen } from "../../../listen.ts";
import type { Account } from "./account.ts";
import { runWranglerStub } from "./wrangler.ts";

export interface Platform {
  /** Replaces wrangler: the commands that a deployment runs. */
  wrangler: StandIn;
  /** Replaces npm: every script succeeds without doing anything, unless `failures` names it. */
  npm: StandIn;
  /** A copy of the state of the platform. */
  account(): Account;
  change(change: (account: Account) => void): void;
  /** The calls so far. Absolute paths, which differ from run to run, are replaced with FILE. */
  calls(): string[];
  clearCalls(): void;
  /** Replaces the response of `GET /healthz`, which reports the served version by default. */
  respondHealth: (() => { status: number; body: string }) | undefined;
  close(): Promise<void>;
}

/** Starts an empty platform: stubs of the programs that a deployment runs, and a stub of the deployed service. */
export async function openPlatform(): Promise<Platform> {
  const server = createServer((request, response) => {
    const { status, body } = platform.respondHealth?.() ?? createHealth(account);
    response.writeHead(request.url === "/healthz" ? status : 404).end(body);
  });
  const { origin, close } = await listen(server);
  const account: Account = {
    databases: [],
    namespaces: [],
    previews: [],
    versions: [],
    origin,
    failures: {},
  };
  const contents = new Map<string, DatabaseSync>();
  let calls: string[] = [];
  /** Runs a stub, unless the call is in `failures`. */
  const run = async (call: string[], stub: () => string | Promise<string>) => {
    const line = call.map((arg) => (arg.startsWith("/") ? "FILE" : arg)).join(" ");
    calls.push(line.replaceAll("\n", " "));
    try {
      const failure = Object.entries(account.failures).find(([beginning]) => line.startsWith(beginning));
      if (failure) throw new Error(failure[1]);
      return { status: 0, output: await stub(), errors: "" };
    } catch (error) {
      return { status: 1, output: "", errors: error instanceof Error ? error.message : String(error) };
    }
  };
  const platform: Platform = {
    wrangler: (args, env) =>
      run(["wrangler", ...args], () => runWranglerStub({ account, args, env, contents })),
    npm: (args, { BASE_URL }) =>
      run(["npm", ...args, ...(BASE_URL === undefined ? [] : [`BASE_URL=${BASE_URL}`])], () => ""),
    account: () => structuredClone(account),
    change: (change) => change(account),
    calls: () => [...calls],
    clearCalls() {
      calls = [];
    },
    respondHealth: undefined,
    close,
  };
  return platform;
}

function createHealth({ versions }: Account) {
  return { status: 200, body: JSON.stringify({ code: { id: versions.at(-1) ?? null }, store: "d1" }) };
}
