/** Creates a cache of the lines of blocks. Above the maximum, the least recently used block is evicted. */
export function createBlockCache(maxBlocks: number) {
  // A Map has the order in which keys were set, so the first key is the least recently used one.
  const blocks = new Map<string, string[]>();
  const getKey = (id: string, number: number) => `${id}/${number}`;
  return {
    get(id: string, number: number): string[] | undefined {
      const key = getKey(id, number);
      const lines = blocks.get(key);
      if (!lines) return undefined;
      blocks.delete(key);
      blocks.set(key, lines);
      return lines;
    },
    set(id: string, number: number, lines: string[]): void {
      blocks.set(getKey(id, number), lines);
      if (blocks.size <= maxBlocks) return;
      const [oldest = ""] = blocks.keys();
      blocks.delete(oldest);
    },
  };
}
