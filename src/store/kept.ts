/** Values that an instance keeps in memory, by name. */
export interface Kept {
  find(name: string): unknown;
  /** @param bytes that the value takes */
  keep(name: string, value: unknown, bytes: number): void;
}

/** @param mostBytes if there are more, the values that were asked for longest ago are dropped */
export function createKept(mostBytes: number): Kept {
  // A Map remembers the order in which its keys were set: the first is the one that was asked for longest ago.
  const entries = new Map<string, { value: unknown; bytes: number }>();
  let total = 0;
  const take = (name: string) => {
    const entry = entries.get(name);
    entries.delete(name);
    total -= entry?.bytes ?? 0;
    return entry;
  };
  const put = (name: string, entry: { value: unknown; bytes: number }) => {
    entries.set(name, entry);
    total += entry.bytes;
  };
  return {
    find(name) {
      const entry = take(name);
      if (entry) put(name, entry);
      return entry?.value;
    },
    keep(name, value, bytes) {
      take(name);
      put(name, { value, bytes });
      for (const oldest of entries.keys()) {
        if (total <= mostBytes) return;
        take(oldest);
      }
    },
  };
}
