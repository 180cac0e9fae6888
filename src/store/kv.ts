import type { KVNamespace } from "@cloudflare/workers-types";
import { retry, SHORT_PAUSES } from "./retry.ts";
import { NOTHING_LOADED, parseState, type Store } from "./state.ts";

/*
 * The collection in a KV namespace. Reads of a key are eventually consistent: for up to 60 seconds, a location may return the previous
 * value or report that the key is missing. Each response still uses one state. The key of a block contains the name of its load, names
 * are never reused, and the writer stores the state when the blocks are visible everywhere.
 */

/** A KV namespace: the worker's binding, the wrangler command line, or local files. Transient errors are retried. */
export interface KeyValueStore {
  /**
   * Reads values. The value of a missing key is null.
   * @param cacheTtl How long a location of KV may cache the values, in seconds, 30 or more
   */
  get(keys: string[], cacheTtl: number): Promise<(string | null)[]>;
}

export const STATE_KEY = "state";

export function getBlockKey(load: string, number: number): string {
  return `block/${load}/${number}`;
}

/** The cache lifetime of the state in seconds: the minimum that KV allows, because the state changes. */
const STATE_CACHE_TTL = 30;

/** The cache lifetime of a block in seconds: one day, because blocks never change. */
const BLOCK_CACHE_TTL = 86_400;

export function createKvStore(namespace: KeyValueStore): Store {
  return {
    async readState() {
      const [text] = await namespace.get([STATE_KEY], STATE_CACHE_TTL);
      return { state: typeof text === "string" ? parseState(text) : NOTHING_LOADED };
    },
    readBlocks: (load, numbers) =>
      namespace.get(
        numbers.map((number) => getBlockKey(load, number)),
        BLOCK_CACHE_TTL,
      ),
  };
}

/** Wraps the worker's binding, with retries. */
export function toKeyValueStore(namespace: KVNamespace): KeyValueStore {
  const policy = { isTransient, ...SHORT_PAUSES };
  return {
    get: (keys, cacheTtl) =>
      Promise.all(keys.map((key) => retry(() => namespace.get(key, { type: "text", cacheTtl }), policy))),
  };
}

/** KV errors contain a status, as in `KV GET failed: 500 Internal Server Error`. */
function isTransient(error: unknown): boolean {
  return /KV GET failed: (5\d\d|429)|Network connection lost/.test(String(error));
}
