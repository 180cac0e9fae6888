import { DatabaseSync } from "node:sqlite";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll } from "vitest";
import { createLocalD1 } from "../../data/stores/local-database.ts";
import { createLocalNamespace } from "../../data/stores/local-namespace.ts";
import { applyMigrations } from "../../data/stores/migrations.ts";
import type { Env } from "../../src/env.ts";
import { createD1Store, type SqlDatabase } from "../../src/store/d1.ts";
import { bindNamespace, createKvStore, type KeyValueStore } from "../../src/store/kv.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { createFolder } from "../temporary-folder.ts";

export const ALL_STORES = ["d1", "kv", "memory"] as const;
export type AnyStore = (typeof ALL_STORES)[number];

/** The stores that commands open on this machine without workerd. */
export const LOCAL_STORES = ["local d1", "local kv"] as const;

/** Opens an empty store as a command does. */
export async function openLocalStore(name: (typeof LOCAL_STORES)[number]): Promise<Store> {
  const sqlite = new DatabaseSync(":memory:");
  if (name === "local kv") return createKvStore(createLocalNamespace(sqlite, createFolder()), true);
  const database = createLocalD1(sqlite);
  await applyMigrations(database);
  return createD1Store(database, true);
}

/** A worker that runs statements: one request a transaction, where the binding in this process would send one a statement. */
const SCRIPT = `export default {
  async fetch(request, { DB }) {
    try {
      const { statements, parameters } = await request.json();
      const { results, meta } = (await DB.batch(statements.map((sql) => DB.prepare(sql).bind(...parameters)))).at(-1);
      return Response.json({ results, changes: meta.changes });
    } catch (error) {
      return Response.json({ error: String(error.message) });
    }
  }
}`;

function openDatabase(runtime: Miniflare): SqlDatabase {
  const run = async (statements: string[], parameters: unknown[]) => {
    const body = JSON.stringify({ statements, parameters });
    const response = await runtime.dispatchFetch("http://localhost", { method: "POST", body });
    const outcome = Object(await response.json());
    if ("error" in outcome) throw new Error(outcome.error);
    return outcome;
  };
  return {
    query: async (sql, parameters) => (await run([sql], parameters)).results,
    write: async (statements) => (await run(statements, [])).changes,
    batchBytes: 250_000,
  };
}

/** Stores in workerd, and one in memory. */
export interface Stores {
  database: SqlDatabase;
  namespace: KeyValueStore;
  memory: Store;
  open(name: AnyStore): Store;
}

/** Opens empty stores for the tests of a file or of a group, and closes the stores afterwards. */
export function useStores(): Stores {
  const stores = {} as Stores;
  let runtime: Miniflare | undefined;
  beforeAll(async () => {
    const options = {
      modules: true as const,
      script: SCRIPT,
      d1Databases: ["DB"],
      kvNamespaces: ["KV"],
      cf: false as const,
    };
    runtime = new Miniflare(convertV4MiniflareOptions(options));
    const database = openDatabase(runtime);
    await applyMigrations(database);
    const namespace = bindNamespace((await runtime.getBindings<Env>()).KV);
    const memory = createMemoryStore();
    const open = (name: AnyStore) => {
      if (name === "memory") return memory;
      return name === "d1" ? createD1Store(database) : createKvStore(namespace);
    };
    Object.assign(stores, { database, namespace, memory, open });
  });
  afterAll(() => runtime?.dispose());
  return stores;
}
