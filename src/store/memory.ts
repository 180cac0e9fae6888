import type { Block } from "./block.ts";
import type { MaybeSnapshot } from "./snapshot.ts";
import type { Store } from "./store.ts";

/**
 * Creates a store in the memory of a process, for the package and for tests. The collection never changes.
 * @param blocks The blocks of the records and of the statistics
 */
export function createMemoryStore(snapshot: MaybeSnapshot, blocks: Iterable<Block>): Store {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  // UTF-8 takes less memory than strings, which can have two bytes per character.
  const encoded = new Map(Array.from(blocks, ({ number, text }) => [number, encoder.encode(text)]));
  return {
    readCurrent: async () => ({ snapshot }),
    readBlocks: async (id, numbers) =>
      numbers.map((number) => {
        const bytes = id === snapshot.id ? encoded.get(number) : undefined;
        return bytes ? decoder.decode(bytes) : null;
      }),
  };
}
