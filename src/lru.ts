/** Creates a cache of at most `maxEntries` values by key. The least recently used one is evicted. */
export function createLru<Key, Value>(maxEntries: number) {
  // A Map keeps its keys in the order in which they were set, so the first key is the least recently used one.
  const values = new Map<Key, Value>();
  return {
    get(key: Key): Value | undefined {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key: Key, value: Value): void {
      values.delete(key);
      values.set(key, value);
      if (values.size <= maxEntries) return;
      const leastRecent = values.keys().next();
      if (!leastRecent.done) values.delete(leastRecent.value);
    },
    clear: () => values.clear(),
  };
}
