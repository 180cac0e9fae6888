import { type Env, SettingError } from "../bindings.ts";
import { type CachedStore, createCachedStore } from "./cache.ts";
import { bindDatabase, createD1Store } from "./d1.ts";
import { bindNamespace, createKvStore } from "./kv.ts";
import { createSeedStore } from "./seed.ts";
import type { Store } from "./state.ts";

/** An environment whose collection is in this process: the package and tests pass it to the service instead of a binding. */
export interface StoreEnv extends Env {
  MEMORY?: Store;
}

/** The store of each environment, of which an instance of the worker has one: its cache outlives a request. */
const cachedStores = new WeakMap<Env, CachedStore>();

/**
 * The store that the setting `STORE` names, with this instance's cache in front.
 * @param maxBytes what a cache that is created keeps; the benchmark measures one that keeps nothing
 */
export function getCachedStore(env: Env, maxBytes?: number): CachedStore {
  let store = cachedStores.get(env);
  if (!store) {
    store = createCachedStore(createStore(env), env.STORE ?? "", maxBytes);
    cachedStores.set(env, store);
  }
  return store;
}

/**
 * The same store without the cache, for callers that need the current state.
 * @throws SettingError if the setting names none, or if its binding is missing
 */
export function createStore({ STORE, DB, KV, ASSETS, MEMORY }: StoreEnv): Store {
  if (MEMORY) return MEMORY;
  if (STORE === "d1" && DB) return createD1Store(bindDatabase(DB));
  if (STORE === "kv" && KV) return createKvStore(bindNamespace(KV));
  if (STORE === "seed" && ASSETS) return createSeedStore(ASSETS);
  const missing = MISSING_BINDINGS.get(String(STORE));
  const problem = missing ? `, but ${missing} in wrangler.toml` : '; it must be "d1", "kv" or "seed"';
  throw new SettingError("STORE", STORE, problem);
}

/** What can be missing in wrangler.toml for a store. */
const MISSING_BINDINGS = new Map([
  ["d1", "no [[d1_databases]] binds DB"],
  ["kv", "no [[kv_namespaces]] binds KV"],
  ["seed", "[assets] does not bind ASSETS"],
]);
