import type { KVNamespace } from "@cloudflare/workers-types";
import { retry, SHORT_PAUSES_MS } from "./retry.ts";
import { NOTHING_LOADED, parseSnapshot } from "./snapshot.ts";
import type { Store } from "./store.ts";

/*
 * The collection in a KV namespace. Reads of a key are eventually consistent: for a minute or longer, a location may return the previous
 * value or report that the key is missing. Each response still uses one snapshot, because the key of a block contains the id of its
 * snapshot, and ids are never reused. A load makes its snapshot current only when all locations should have its blocks.
 */

/** A KV namespace: the worker's binding, the wrangler command line, or local files. */
export interface ReadableNamespace {
  /**
   * Reads values. The value of a missing key is null.
   * @param cacheTtl How long a location of KV may cache the values, in seconds, 30 or more
   */
  get(keys: string[], cacheTtl: number): Promise<(string | null)[]>;
}

export const CURRENT_SNAPSHOT_KEY = "current-snapshot";

export function getBlockKey(id: string, number: number): string {
  return `block/${id}/${number}`;
}

/** How long a location may cache the current snapshot, and that a block is missing, in seconds: the minimum that KV allows. */
export const MIN_CACHE_TTL = 30;

/** How long a location caches a block, in seconds: one day, because blocks never change. */
const BLOCK_CACHE_TTL = 86_400;

export function createKvStore(namespace: ReadableNamespace): Store {
  return {
    async readCurrent() {
      const [text] = await namespace.get([CURRENT_SNAPSHOT_KEY], MIN_CACHE_TTL);
      return { snapshot: typeof text === "string" ? parseSnapshot(text) : NOTHING_LOADED };
    },
    async readBlocks(id, numbers) {
      const keys = numbers.map((number) => getBlockKey(id, number));
      const texts = await namespace.get(keys, BLOCK_CACHE_TTL);
      // A location also caches that a key is missing. With a shorter time, it looks again.
      return texts.includes(null) ? namespace.get(keys, MIN_CACHE_TTL) : texts;
    },
  };
}

/**
 * Makes a store fail if its current snapshot disappears, instead of looking empty. No command deletes the key: KV has lost it, or this
 * location has not received it yet.
 */
export function rejectLostSnapshot(store: Store): Store {
  let hadSnapshot = false;
  return {
    ...store,
    async readCurrent(options) {
      const current = await store.readCurrent(options);
      const isMissing = current.snapshot.id === null;
      if (isMissing && hadSnapshot)
        throw new Error(
          `KV no longer has the key ${CURRENT_SNAPSHOT_KEY}. If this lasts for minutes, load the records again.`,
        );
      hadSnapshot ||= !isMissing;
      return current;
    },
  };
}

export function toReadableNamespace(namespace: KVNamespace): ReadableNamespace {
  const read = (key: string, cacheTtl: number) =>
    retry(() => namespace.get(key, { type: "text", cacheTtl }), isTransientKvError, SHORT_PAUSES_MS);
  return { get: (keys, cacheTtl) => Promise.all(keys.map((key) => read(key, cacheTtl))) };
}

/** Whether KV is overloaded or fails itself. The status is in the message: `KV GET failed: 503 Service Unavailable`. */
function isTransientKvError(error: unknown): boolean {
  return /KV GET failed: (429|5\d\d)/.test(String(error));
}
