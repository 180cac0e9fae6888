import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { Env } from "../../src/env.ts";
import { bindDatabase, createD1Store } from "../../src/store/d1.ts";
import { createKvStore } from "../../src/store/kv.ts";
import { bindNamespace } from "../../src/store/namespace.ts";
import type { Configuration, StoreName } from "../configuration.ts";
import { PROJECT } from "../wrangler.ts";
import { applyMigrations } from "./migrations.ts";
import type { OpenStore } from "./store-choice.ts";

/**
 * Opens a store on this machine: the files that `wrangler dev` serves from, in this process.
 * @param persistTo the folder, as in `wrangler dev --persist-to`; by default .wrangler/state
 */
export async function openLocalStore(
  name: StoreName,
  { d1_databases: [database] = [], kv_namespaces: [namespace] = [] }: Configuration,
  persistTo = join(PROJECT, ".wrangler/state"),
): Promise<OpenStore> {
  const folder = join(resolve(persistTo), "v3");
  // The names under which wrangler finds them again.
  const databaseId = database?.preview_database_id ?? database?.database_id ?? "DB";
  const namespaceId = namespace?.preview_id ?? namespace?.id ?? "KV";
  const options = convertV4MiniflareOptions({
    modules: true,
    script: "export default {}",
    d1Databases: { DB: databaseId },
    kvNamespaces: { KV: namespaceId },
    cf: false,
  });
  const runtime = new Miniflare({ ...options, resourcePersistencePath: folder });
  const close = () => runtime.dispose();
  try {
    const { DB, KV } = await runtime.getBindings<Env>();
    if (name === "kv") {
      const size = () => measureFiles(join(folder, "kv", namespaceId, "blobs"));
      return { name, store: createKvStore(bindNamespace(KV)), size, close };
    }
    await applyMigrations(DB);
    return { name, store: createD1Store(bindDatabase(DB)), size: () => measureDatabase(DB), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function measureDatabase(database: D1Database): Promise<number> {
  const { meta } = await database.prepare("SELECT 1").run();
  return meta.size_after;
}

async function measureFiles(folder: string): Promise<number | undefined> {
  const names = await readdir(folder).catch(() => undefined);
  if (!names) return undefined;
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
