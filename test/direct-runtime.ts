import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { Env } from "../src/env.ts";
import { runWrangler } from "../tools/wrangler.ts";
import { createFolder } from "./temporary-folder.ts";

export interface DirectRuntime {
  origin: string;
  env: Env;
  close(): Promise<void>;
}

/**
 * Runs a worker, from KV, in a workerd that listens itself: the harness has another worker in front, which hides that a
 * client goes away.
 * @param main the worker's file
 */
export async function startDirectRuntime(main: string): Promise<DirectRuntime> {
  const folder = createFolder();
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: await bundle(main, folder),
      compatibilityDate: "2026-11-01",
      compatibilityFlags: ["no_nodejs_compat", "no_nodejs_compat_v2"],
      bindings: { STORE: "kv" },
      d1Databases: ["DB"],
      kvNamespaces: ["KV"],
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    }),
  );
  const { origin } = await runtime.unsafeGetDirectURL();
  return {
    origin,
    env: await runtime.getBindings<Env>(),
    async close() {
      await runtime.dispose();
    },
  };
}

/** As a deployment bundles the worker. */
async function bundle(main: string, folder: string): Promise<string> {
  await runWrangler(["deploy", main, "--dry-run", "--outdir", folder]);
  return readFile(join(folder, basename(main).replace(/ts$/, "js")), "utf8");
}
