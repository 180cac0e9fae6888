import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { listen } from "../../../listen.ts";
import type { Account } from "./account.ts";

export interface Platform {
  /** A script that stands for wrangler. */
  wrangler: string;
  /** An executable that stands for npm. */
  npm: string;
  account(): Account;
  change(change: (account: Account) => void): void;
  /** The calls so far, a line each, with the names of files that differ from run to run as FILE. */
  calls(): string[];
  forgetCalls(): void;
  /** What `GET /healthz` answers; by default the version that serves. */
  answerHealth: (() => { status: number; body: string }) | undefined;
  close(): Promise<void>;
}

/** Starts a platform that has nothing yet: programs for a deployment to run, and the service that it deploys. */
export async function startPlatform(folder: string): Promise<Platform> {
  const file = join(folder, "account.json");
  const log = join(folder, "calls.log");
  const read = (): Account => JSON.parse(readFileSync(file, "utf8"));
  const server = createServer((request, response) => {
    const { status, body } = platform.answerHealth?.() ?? health(read());
    response.writeHead(request.url === "/healthz" ? status : 404).end(body);
  });
  const { origin, close } = await listen(server);
  const platform: Platform = {
    wrangler: writeProgram(folder, "wrangler"),
    npm: writeProgram(folder, "npm"),
    account: read,
    change(change) {
      const account = read();
      change(account);
      writeFileSync(file, JSON.stringify(account));
    },
    calls: () => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : []),
    forgetCalls: () => writeFileSync(log, ""),
    answerHealth: undefined,
    close,
  };
  const empty: Account = { databases: [], namespaces: [], previews: [], versions: [], origin, failing: {} };
  writeFileSync(file, JSON.stringify(empty));
  return platform;
}

function health({ versions }: Account) {
  return { status: 200, body: JSON.stringify({ code: { id: versions.at(-1) ?? null }, store: "d1" }) };
}

/** Bundles a program for this folder: it runs many times, and this is a third of the time that it takes. */
function writeProgram(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${name}.mjs`);
  const contents = `import { run } from "./${name}.ts"; run(${JSON.stringify(folder)}, process.argv.slice(2));`;
  const stdin = { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) };
  const banner = { js: `#!${process.execPath}` };
  buildSync({ stdin, outfile, banner, bundle: true, platform: "node", format: "esm", logLevel: "error" });
  chmodSync(outfile, 0o755);
  return outfile;
}
