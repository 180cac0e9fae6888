import { DatabaseSync } from "node:sqlite";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll } from "vitest";
import { createLocalD1 } from "../../data/stores/local-database.ts";
import { createLocalNamespace } from "../../data/stores/local-namespace.ts";
import { applyMigrations } from "../../data/stores/migrations.ts";
import type { Env } from "../../src/env.ts";
import { bindDatabase, createD1Store, type SqlDatabase } from "../../src/store/d1.ts";
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

/** Stores in workerd, which this process uses through the bindings of a worker, and one in memory. */
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
      script: "export default {}",
      d1Databases: ["DB"],
      kvNamespaces: ["KV"],
      cf: false as const,
    };
    runtime = new Miniflare(convertV4MiniflareOptions(options));
    const bindings = await runtime.getBindings<Env>();
    const database = bindDatabase(bindings.DB);
    await applyMigrations(database);
    const namespace = bindNamespace(bindings.KV);
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
