import type { KVNamespace } from "@cloudflare/workers-types";
import { retry, SHORT_PAUSES } from "./retry.ts";
import { NOTHING_LOADED, parseState, type Store } from "./state.ts";

/*
 * The collection in a KV namespace. A location may show a key, or its absence, as it was up to 60 seconds ago, each key by itself.
 * Responses are nevertheless of one state: a block's key contains the name of its load, which is never used for other content, and
 * the writer stores the state when the blocks are visible everywhere.
 */

/** A KV namespace: the worker's binding, wrangler's command line, or files on this machine. It retries what fails for a moment. */
export interface KeyValueStore {
  /**
   * Reads values; null for a key that does not exist.
   * @param cacheTtl seconds, 30 or more, for which a location of KV may keep what it read
   */
  get(keys: string[], cacheTtl: number): Promise<(string | null)[]>;
}

/** The key of the current state. */
export const STATE_KEY = "state";

/** The key of a block. */
export function getBlockKey(load: string, number: number): string {
  return `block/${load}/${number}`;
}

/** The shortest that KV allows, in seconds. */
const STATE_CACHE_TTL = 30;

/** Blocks never change. */
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

/** The binding of a worker. */
export function bindNamespace(namespace: KVNamespace): KeyValueStore {
  const policy = { isTransient, ...SHORT_PAUSES };
  return {
    get: (keys, cacheTtl) =>
      Promise.all(keys.map((key) => retry(() => namespace.get(key, { type: "text", cacheTtl }), policy))),
  };
}

/** KV reports `KV GET failed: 500 Internal Server Error`, with the status of what went wrong inside. */
function isTransient(error: unknown): boolean {
  return /KV GET failed: (5\d\d|429)|Network connection lost/.test(String(error));
}
