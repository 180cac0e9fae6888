import type { Block } from "./block.ts";
import type { MaybeSnapshot } from "./snapshot.ts";
import type { Store } from "./store.ts";

/**
 * Creates a store in the memory of a process, for the package and for tests. The collection never changes.
 * @param blocks The blocks of the records and of the statistics
 */
export function createMemoryStore(snapshot: MaybeSnapshot, blocks: Iterable<Block>): Store {
  const texts = new Map(Array.from(blocks, ({ number, text }) => [number, text]));
  return {
    readCurrent: async () => ({ snapshot }),
    async readBlocks(id, numbers) {
      const isCurrent = id === snapshot.id;
      return numbers.map((number) => (isCurrent ? (texts.get(number) ?? null) : null));
    },
  };
}
