import type { KVNamespace } from "@cloudflare/workers-types";

/** A KV namespace: the worker's binding, or wrangler's command line. */
export interface KeyValueStore {
  /**
   * Reads values; null for a key that does not exist.
   * @param cacheTtl seconds, 30 or more, for which a location of KV may keep what it read
   */
  get(keys: string[], cacheTtl: number): Promise<(string | null)[]>;
  put(pairs: Pair[]): Promise<void>;
  delete(keys: string[]): Promise<void>;
  list(): Promise<string[]>;
  /** Bytes of values that one call of `put` should be given. */
  batchBytes: number;
}

export interface Pair {
  key: string;
  value: string;
}

/** The binding of a worker, or of a process that opened the same local namespace. */
export function bindNamespace(namespace: KVNamespace): KeyValueStore {
  return {
    get: (keys, cacheTtl) => Promise.all(keys.map((key) => namespace.get(key, { type: "text", cacheTtl }))),
    async put(pairs) {
      await Promise.all(pairs.map(({ key, value }) => namespace.put(key, value)));
    },
    async delete(keys) {
      await Promise.all(keys.map((key) => namespace.delete(key)));
    },
    async list() {
      const keys: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await namespace.list({ cursor: cursor ?? null });
        keys.push(...page.keys.map(({ name }) => name));
        cursor = page.list_complete ? undefined : page.cursor;
      } while (cursor);
      return keys;
    },
    batchBytes: 250_000,
  };
}
