import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll } from "vitest";
import type { StoreName } from "../../data/stores/configuration.ts";
import { D1_SCRIPT, type LocalDatabase, openD1 } from "../../data/stores/d1-runtime.ts";
import { applyMigrations } from "../../data/stores/migrations.ts";
import type { Env } from "../../src/env.ts";
import { createD1Store } from "../../src/store/d1.ts";
import { createKvStore } from "../../src/store/kv.ts";
import { bindNamespace, type KeyValueStore } from "../../src/store/namespace.ts";
import type { Store } from "../../src/store/store.ts";

/** An empty database and an empty namespace in workerd, which this process writes to as the data tool does. */
export interface EmptyStores {
  database: LocalDatabase;
  namespace: KeyValueStore;
  open(name: StoreName): Store;
}

/** Opens the stores for the tests of a file or of a group, and closes the stores afterwards. */
export function useEmptyStores(): EmptyStores {
  const stores = {} as EmptyStores;
  let runtime: Miniflare | undefined;
  beforeAll(async () => {
    const options = { modules: true as const, script: D1_SCRIPT, d1Databases: ["DB"], kvNamespaces: ["KV"] };
    runtime = new Miniflare(convertV4MiniflareOptions({ ...options, cf: false }));
    const database = openD1(runtime);
    await applyMigrations(database);
    const namespace = bindNamespace((await runtime.getBindings<Env>()).KV);
    const open = (name: StoreName) => (name === "d1" ? createD1Store(database) : createKvStore(namespace));
    Object.assign(stores, { database, namespace, open });
  });
  afterAll(() => runtime?.dispose());
  return stores;
}
