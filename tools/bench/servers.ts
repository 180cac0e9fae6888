import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { STORE_NAMES } from "../../data/writer/configuration.ts";
import { openTemporaryFile, PROJECT, runWrangler } from "../../data/writer/wrangler.ts";
import type { Env } from "../../src/env.ts";
import { COLLECTION_PATH } from "../../src/records/page.ts";
import type { PageRequest } from "./cases.ts";

/** Starts all servers: the package with a file, and the others with a folder, as in `wrangler dev --persist-to`. */
export async function startServers(file: string, folder: string) {
  // Two processes with one database block each other.
  const copy = openTemporaryFile("copy");
  cpSync(folder, copy, { recursive: true });
  const memory = await startServer("dist/package/cli.js", file);
  const wrangler = await startServer("tools/start.ts", "--persist-to", copy, "--inspector-port", "0");
  const origins: Record<string, string> = { package: memory, wrangler_dev: wrangler };
  const runtime = await startRuntime(folder);
  const env = await runtime.getBindings<Env>("d1");
  // What `store_floor` reads.
  await env.DB.prepare("CREATE TABLE floor AS SELECT hex(randomblob(500)) AS text").run();
  await env.KV.put("floor", "x".repeat(1_000));
  /** Every server must send the page that the package sends, which has the records in memory. */
  const request = async (page: number, store: string | null, mode: string): Promise<PageRequest> => {
    const origin = origins[mode] ?? (await runtime.unsafeGetDirectURL(store ?? "d1", mode)).origin;
    const target = `${COLLECTION_PATH}?format=api&page=${page}`;
    const body = await (await fetch(memory + target)).text();
    return { url: origin + target, body: body.replaceAll(memory, origin) };
  };
  return { request, env };
}

/**
 * Starts workerd with a worker for each store, which has the store's name, and a socket for each export of bench-worker.ts: the
 * proxy in front of `wrangler dev` takes longer than the worker.
 */
async function startRuntime(folder: string): Promise<Miniflare> {
  const bundle = openTemporaryFile("bundle");
  await runWrangler([
    "deploy",
    join(PROJECT, "tools/bench/bench-worker.ts"),
    "--dry-run",
    "--outdir",
    bundle,
  ]);
  const path = join(bundle, "bench-worker.js");
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(PROJECT, "wrangler.toml"));
  const workers = STORE_NAMES.map((name) => ({
    ...workerOptions,
    name,
    modules: [{ type: "ESModule" as const, path }],
    modulesRoot: dirname(path),
    bindings: { ...Object(workerOptions.bindings), STORE: name, RATE_LIMIT: "off" },
    // wrangler.toml binds only the database.
    kvNamespaces: ["KV"],
    unsafeDirectSockets: ["hot", "cold", "floor", "store_floor"].map((entrypoint) => ({
      host: "127.0.0.1",
      port: 0,
      entrypoint,
    })),
  }));
  const options = convertV4MiniflareOptions({ workers, cf: false });
  return new Miniflare({ ...options, resourcePersistencePath: join(folder, "v3") });
}

/** Runs a script of this project that serves, until this process ends. Returns the origin that it prints. */
async function startServer(...args: string[]): Promise<string> {
  const server = spawn(process.execPath, [...args, "--port", "0"], { cwd: PROJECT });
  server.stderr.pipe(process.stderr);
  process.once("exit", () => server.kill());
  for await (const line of createInterface(server.stdout)) {
    const [origin] = /http:\/\/localhost:\d+/.exec(line) ?? [];
    if (!origin) continue;
    // Later lines must not fill the pipe.
    server.stdout.resume();
    return origin;
  }
  throw new Error(`${args[0]} ended before it served.`);
}
