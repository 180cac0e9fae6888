import type { Env } from "../../env.ts";
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
    store = cachedStore(selectStore(env), env.STORE ?? "");
    opened.set(env, store);
  }
  return store;
}

function selectStore({ STORE, DB, KV }: Env): RecordStore {
  if (STORE === "d1") return d1Store(DB);
  if (STORE === "kv") return kvStore(KV);
  throw new Error(`STORE is ${JSON.stringify(STORE)}; it must be "d1" or "kv"`);
}
