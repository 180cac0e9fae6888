import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { runWrangler } from "../../data/targets/wrangler.ts";
import type { Env } from "../../src/env.ts";

export interface SlowRuntime {
  origin: string;
  env: Env;
  close(): Promise<void>;
}

/**
 * Runs slow-worker.ts, from KV, in a workerd that listens itself: the harness has another worker in front, which
 * hides that a client goes away.
 */
export async function startSlowRuntime(): Promise<SlowRuntime> {
  const folder = await mkdtemp(join(tmpdir(), "slow-runtime-"));
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: await bundle(folder),
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
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function bundle(folder: string): Promise<string> {
  const configuration = await readFile("wrangler.toml", "utf8");
  const main = `main = ${JSON.stringify(resolve("test/faults/slow-worker.ts"))}`;
  const file = join(folder, "wrangler.toml");
  await writeFile(file, configuration.replace(/^main = .*$/m, main));
  await runWrangler(["deploy", "--dry-run", "--config", file, "--outdir", folder]);
  return readFile(join(folder, "slow-worker.js"), "utf8");
}
