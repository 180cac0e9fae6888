import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll } from "vitest";
import { applyMigrations } from "../../data/stores/migrations.ts";
import { type LocalDatabase, openD1, STORES_SCRIPT } from "../../data/stores/runtime.ts";
import type { Env } from "../../src/env.ts";
import { createD1Store } from "../../src/store/d1.ts";
import { bindNamespace, createKvStore, type KeyValueStore } from "../../src/store/kv.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";

export const ALL_STORES = ["d1", "kv", "memory"] as const;
export type AnyStore = (typeof ALL_STORES)[number];

/** Stores in workerd, which this process writes to as the data tool does, and one in memory. */
export interface Stores {
  database: LocalDatabase;
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
      script: STORES_SCRIPT,
      d1Databases: ["DB"],
      kvNamespaces: ["KV"],
    };
    runtime = new Miniflare(convertV4MiniflareOptions({ ...options, cf: false }));
    const database = openD1(runtime);
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
