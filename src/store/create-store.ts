import { type Env, SettingError } from "../bindings.ts";
import { type CachedStore, type CacheLimits, createCachedStore } from "./cached-store.ts";
import { createD1Store, toSqlDatabase } from "./d1.ts";
import { createKvStore, rejectLostSnapshot, toReadableNamespace } from "./kv.ts";
import { createSeedStore } from "./seed.ts";
import type { Store } from "./store.ts";

/** An environment that can have a store in the memory of the process, as in the package and in tests. */
export interface StoreEnv extends Env {
  /** The store if `STORE` is `memory`. */
  MEMORY?: Store;
}

// An instance of the worker has one environment, so its caches outlive a request.
const cachedStores = new WeakMap<Env, CachedStore>();

/**
 * Returns the store of an environment, behind the cache of this instance.
 * @param options `limits` The sizes of its caches, if this call creates them. The benchmark passes zeros
 */
export function getCachedStore(env: Env, { limits }: { limits?: CacheLimits } = {}): CachedStore {
  const cached = cachedStores.get(env);
  if (cached) return cached;
  const store = createCachedStore(createStore(env), { name: env.STORE, limits });
  cachedStores.set(env, store);
  return store;
}

/**
 * Creates the store of an environment, without a cache.
 * @throws SettingError if `STORE` is invalid or its binding is missing
 */
export function createStore({ STORE, DB, KV, ASSETS, MEMORY }: StoreEnv): Store {
  if (STORE === "memory" && MEMORY) return MEMORY;
  if (STORE === "d1" && DB) return createD1Store(toSqlDatabase(DB));
  if (STORE === "kv" && KV) return rejectLostSnapshot(createKvStore(toReadableNamespace(KV)));
  if (STORE === "seed" && ASSETS) return createSeedStore(ASSETS);
  const missing = MISSING_BINDINGS.get(String(STORE));
  const problem = missing ? `, but ${missing} in wrangler.toml` : '; it must be "d1", "kv" or "seed"';
  throw new SettingError("STORE", STORE, problem);
}

/** The missing part of wrangler.toml, by store. */
const MISSING_BINDINGS = new Map([
  ["d1", "no [[d1_databases]] binds DB"],
  ["kv", "no [[kv_namespaces]] binds KV"],
  ["seed", "[assets] does not bind ASSETS"],
]);
