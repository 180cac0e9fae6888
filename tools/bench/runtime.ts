import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_readConfig } from "wrangler";
import { STORE_NAMES, type StoreName } from "../../data/stores/configuration.ts";
import { openTemporaryFile } from "../../data/stores/temporary-files.ts";
import { PROJECT, runWrangler } from "../../data/stores/wrangler.ts";
import type { Env } from "../../src/env.ts";

/** The exports of tools/bench/worker.ts. */
export type Entrypoint = "default" | "cold" | "empty" | "walked" | "floor" | "storeFloor";

const ENTRYPOINTS: Entrypoint[] = ["default", "cold", "empty", "walked", "floor", "storeFloor"];

const HOST = "127.0.0.1";

/** Workerd with the bundled worker, once for each store, and the stores of a folder. */
export interface Runtime {
  /** Where an entrypoint listens, such as `http://127.0.0.1:41234`. */
  origin(store: StoreName, entrypoint: Entrypoint): Promise<string>;
  bindings(): Promise<Env>;
  close(): Promise<void>;
}

/**
 * Starts workerd with a socket for each entrypoint: the proxy in front of `wrangler dev` takes longer than the worker.
 * @param bundle a folder with the bundled worker
 * @param folder of the stores
 */
export async function startRuntime(bundle: string, folder: string): Promise<Runtime> {
  const config = unstable_readConfig({ config: join(PROJECT, "wrangler.toml") });
  const workers = STORE_NAMES.map((store) => ({
    name: store,
    modules: true as const,
    rootPath: bundle,
    scriptPath: "worker.js",
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    bindings: { ...config.vars, STORE: store },
    // With other ids the stores of an earlier run would not be found.
    d1Databases: { DB: "DB" },
    kvNamespaces: { KV: "KV" },
    unsafeDirectSockets: ENTRYPOINTS.map((entrypoint) => ({ host: HOST, port: 0, entrypoint })),
  }));
  const options = convertV4MiniflareOptions({ workers, cf: false });
  const runtime = new Miniflare({ ...options, resourcePersistencePath: folder });
  await runtime.ready;
  return {
    origin: async (store, entrypoint) => (await runtime.unsafeGetDirectURL(store, entrypoint)).origin,
    bindings: () => runtime.getBindings<Env>(STORE_NAMES[0]),
    close: () => runtime.dispose(),
  };
}

/**
 * Bundles tools/bench/worker.ts as a deployment bundles the worker.
 * @returns the folder with the bundle, which is removed when the process ends
 */
export async function bundleWorker(): Promise<string> {
  const folder = openTemporaryFile("bundle");
  await runWrangler(["deploy", join(PROJECT, "tools/bench/worker.ts"), "--dry-run", "--outdir", folder]);
  return folder;
}
