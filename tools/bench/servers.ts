import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { STORE_NAMES } from "../../data/stores/configuration.ts";
import { openTemporaryFile, PROJECT, runWrangler } from "../../data/stores/wrangler.ts";

/**
 * Starts workerd with a worker for each store, which has the store's name, and a socket for each export of worker.ts: the
 * proxy in front of `wrangler dev` takes longer than the worker.
 * @param folder of the stores, as in `wrangler dev --persist-to`
 */
export async function startRuntime(folder: string): Promise<Miniflare> {
  const bundle = openTemporaryFile("bundle");
  await runWrangler(["deploy", join(PROJECT, "tools/bench/worker.ts"), "--dry-run", "--outdir", bundle]);
  const path = join(bundle, "worker.js");
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(PROJECT, "wrangler.toml"));
  const modes = ["hot", "cold", "floor", "store_floor"];
  const workers = STORE_NAMES.map((name) => ({
    ...workerOptions,
    name,
    modules: [{ type: "ESModule" as const, path }],
    modulesRoot: dirname(path),
    bindings: { ...Object(workerOptions.bindings), STORE: name, RATE_LIMIT: "off" },
    // wrangler.toml binds only the database.
    kvNamespaces: ["KV"],
    unsafeDirectSockets: modes.map((entrypoint) => ({ host: "127.0.0.1", port: 0, entrypoint })),
  }));
  const options = convertV4MiniflareOptions({ workers, cf: false });
  return new Miniflare({ ...options, resourcePersistencePath: join(folder, "v3") });
}

/**
 * Runs a script of this project that serves, until this process ends.
 * @returns the origin that it prints
 * @throws Error if the script ends
 */
export function startServer(...args: string[]): Promise<string> {
  const server = spawn(process.execPath, [...args, "--port", "0"], { cwd: PROJECT });
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
    server.on("exit", (status) => reject(new Error(`${args.join(" ")} ended with ${status}:\n${output}`)));
  });
}
