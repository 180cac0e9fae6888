/** Creates a cache of values by key. Above the maximum, the least recently used value is evicted. */
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
      values.set(key, value);
      if (values.size <= maxEntries) return;
      const [leastRecent = key] = values.keys();
      values.delete(leastRecent);
    },
    clear: () => values.clear(),
  };
}
