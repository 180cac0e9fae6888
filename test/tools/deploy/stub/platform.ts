import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { listen } from "../../../listen.ts";
import type { Account } from "./account.ts";

export interface Platform {
  /** The path of the stub of wrangler, a script for Node. */
  wrangler: string;
  /** The path of the stub of npm, an executable. */
  npm: string;
  account(): Account;
  change(change: (account: Account) => void): void;
  /** The calls so far, one a line. Absolute paths, which differ from run to run, are replaced with FILE. */
  calls(): string[];
  clearCalls(): void;
  /** Replaces the response of `GET /healthz`, which reports the served version by default. */
  respondHealth: (() => { status: number; body: string }) | undefined;
  close(): Promise<void>;
}

/**
 * Starts an empty platform: stubs of the programs that a deployment runs, and a stub of the deployed service.
 * @param realWrangler true if the stub of npm runs the real wrangler
 */
export async function openPlatform(folder: string, realWrangler = false): Promise<Platform> {
  const file = join(folder, "account.json");
  const log = join(folder, "calls.log");
  const read = (): Account => JSON.parse(readFileSync(file, "utf8"));
  const server = createServer((request, response) => {
    const { status, body } = platform.respondHealth?.() ?? createHealth(read());
    response.writeHead(request.url === "/healthz" ? status : 404).end(body);
  });
  const { origin, close } = await listen(server);
  const wrangler = writeProgram(folder, "wrangler");
  const platform: Platform = {
    wrangler,
    npm: writeProgram(folder, "npm", realWrangler ? undefined : wrangler),
    account: read,
    change(change) {
      const account = read();
      change(account);
      writeFileSync(file, JSON.stringify(account));
    },
    calls: () => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : []),
    clearCalls: () => writeFileSync(log, ""),
    respondHealth: undefined,
    close,
  };
  const empty: Account = { databases: [], namespaces: [], previews: [], versions: [], origin, failures: {} };
  writeFileSync(file, JSON.stringify(empty));
  return platform;
}

function createHealth({ versions }: Account) {
  return { status: 200, body: JSON.stringify({ code: { id: versions.at(-1) ?? null }, store: "d1" }) };
}

/** Bundles a stub and writes it to the folder: bundled, it runs in a third of the time, and it runs many times. */
function writeProgram(folder: string, name: string, wrangler?: string): string {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${name}.mjs`);
  const contents = `import { run } from "./${name}.ts"; run(${JSON.stringify(folder)}, process.argv.slice(2), ${JSON.stringify(wrangler)});`;
  const stdin = { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) };
  const banner = { js: `#!${process.execPath}` };
  buildSync({ stdin, outfile, banner, bundle: true, platform: "node", format: "esm", logLevel: "error" });
  chmodSync(outfile, 0o755);
  return outfile;
}
