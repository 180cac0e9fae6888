import type { Env } from "../env.ts";
import { type CachedStore, cachedStore } from "./cached.ts";
import { d1Store } from "./d1.ts";
import { kvStore } from "./kv.ts";
import type { RecordStore } from "./store.ts";

/** The store of each environment, of which an instance of the worker has one: what it keeps outlives a request. */
const opened = new WeakMap<Env, CachedStore>();

/**
 * The store that the setting `STORE` names, with this instance's memory in front.
 * @throws if it names none
 */
export function openStore(env: Env): CachedStore {
  let store = opened.get(env);
  if (!store) {
    store = cachedStore(openUnkept(env), env.STORE ?? "");
    opened.set(env, store);
  }
  return store;
}

/**
 * The same store without a memory, for what must know how it is now.
 * @throws if the setting names none
 */
export function openUnkept(env: Env): RecordStore {
  const open = chooseStore(env, { d1: () => d1Store(env.DB), kv: () => kvStore(env.KV) });
  return open();
}

/**
 * What belongs to the store that the setting `STORE` names.
 * @throws if it names none
 */
export function chooseStore<T>({ STORE }: Env, { d1, kv }: { d1: T; kv: T }): T {
  if (STORE === "d1") return d1;
  if (STORE === "kv") return kv;
  throw new Error(`STORE is ${JSON.stringify(STORE)}; it must be "d1" or "kv"`);
}
