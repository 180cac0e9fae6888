import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll } from "vitest";
import type { Env } from "../src/env.ts";
import { readConfiguration, type StoreName } from "../tools/configuration.ts";
import { runWrangler } from "../tools/wrangler.ts";
import { findBundle } from "./bundled-worker.ts";
import { createFolder } from "./temporary-folder.ts";

export interface Runtime {
  origin: string;
  env: Env;
  close(): Promise<void>;
}

interface RuntimeOptions {
  /** The file of a bundled worker; by default the one of the service. */
  script?: string;
  store?: StoreName;
  /** The folder of the stores, as in `npm start -- --persist-to`; by default a new one. */
  folder?: string;
}

/** Starts a runtime for the tests of a file or of a group, and closes it after them. */
export function useRuntime(options: RuntimeOptions): Runtime {
  const runtime = {} as Runtime;
  beforeAll(async () => void Object.assign(runtime, await startRuntime(options)));
  afterAll(() => runtime.close?.());
  return runtime;
}

/**
 * Runs a worker in a workerd that listens itself. The harness has another worker in front, which hides that a client goes
 * away, and its stores are always new. `npm start` takes seconds. There are no assets.
 */
export async function startRuntime({
  script = join(findBundle(), "index.js"),
  store = "d1",
  folder = createFolder(),
}: RuntimeOptions = {}): Promise<Runtime> {
  const { compatibility_date, compatibility_flags, vars } = await readConfiguration();
  const options = convertV4MiniflareOptions({
    modules: true,
    script: await readFile(script, "utf8"),
    ...(compatibility_date && { compatibilityDate: compatibility_date }),
    ...(compatibility_flags && { compatibilityFlags: compatibility_flags }),
    bindings: { ...vars, STORE: store },
    d1Databases: ["DB"],
    kvNamespaces: ["KV"],
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    cf: false,
  });
  const runtime = new Miniflare({ ...options, resourcePersistencePath: join(folder, "v3") });
  const { origin } = await runtime.unsafeGetDirectURL();
  return { origin, env: await runtime.getBindings<Env>(), close: () => runtime.dispose() };
}

/** Bundles a worker of the tests as a deployment bundles the worker. Gives the path. */
export async function bundleWorker(main: string): Promise<string> {
  const folder = createFolder();
  await runWrangler(["deploy", main, "--dry-run", "--outdir", folder]);
  return join(folder, basename(main).replace(/ts$/, "js"));
}
