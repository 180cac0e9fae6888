import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { readConfiguration, STORE_NAMES } from "../../data/stores/configuration.ts";
import { PROJECT, runWrangler } from "../../data/stores/wrangler.ts";
import type * as Worker from "./worker.ts";

const ENTRYPOINTS: (keyof typeof Worker)[] = ["hot", "cold", "walked", "floor", "store_floor"];

/**
 * Bundles tools/bench/worker.ts as a deployment bundles the worker.
 * @returns the path of the bundle
 */
export async function bundleWorker(folder: string): Promise<string> {
  await runWrangler(["deploy", join(PROJECT, "tools/bench/worker.ts"), "--dry-run", "--outdir", folder]);
  return join(folder, "worker.js");
}

/**
 * Starts workerd with a worker for each store, which has the store's name, and a socket for each export of the bundle: the proxy
 * in front of `wrangler dev` takes longer than the worker.
 * @param folder of the stores, as in `wrangler dev --persist-to`
 */
export async function startRuntime(bundle: string, folder: string): Promise<Miniflare> {
  const { compatibility_date = "", compatibility_flags = [], vars } = await readConfiguration();
  const workers = STORE_NAMES.map((name) => ({
    name,
    modules: [{ type: "ESModule" as const, path: bundle }],
    modulesRoot: dirname(bundle),
    compatibilityDate: compatibility_date,
    compatibilityFlags: compatibility_flags,
    bindings: { ...Object(vars), STORE: name },
    // The names under which `npm run data` has created the stores.
    d1Databases: { DB: "DB" },
    kvNamespaces: { KV: "KV" },
    unsafeDirectSockets: ENTRYPOINTS.map((entrypoint) => ({ host: "127.0.0.1", port: 0, entrypoint })),
  }));
  const options = convertV4MiniflareOptions({ workers, cf: false });
  return new Miniflare({ ...options, resourcePersistencePath: join(folder, "v3") });
}

/**
 * Runs a script of this project that serves, until this process ends.
 * @returns the origin that it prints
 * @throws Error if the script ends
 */
export function startServer(script: string, args: string[]): Promise<string> {
  const server = spawn(process.execPath, [join(PROJECT, script), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  process.once("exit", () => server.kill());
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk;
      const [origin] = /http:\/\/localhost:\d+(?=\D)/.exec(output) ?? [];
      if (origin) resolve(origin);
    };
    server.stdout.on("data", read);
    server.stderr.on("data", read);
    server.on("exit", (status) => reject(new Error(`${script} ended with ${status}:\n${output}`)));
  });
}
