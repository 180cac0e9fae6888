import type { Block } from "./block.ts";
import { NOTHING_LOADED, type State, type Store } from "./state.ts";

/** The collection in the memory of a process, for the package and for tests. It is gone when the process ends. */
export interface MemoryStore extends Store {
  /**
   * Replaces the collection, for all requests that begin later.
   * @param next its sequence and time follow from the state that it replaces
   * @param blocks with the pieces of the statistics
   * @returns the new state
   */
  replace(next: Pick<State, "load" | "count" | "source">, blocks: Iterable<Block>): State;
}

/** Creates an empty store. */
export function createMemoryStore(): MemoryStore {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let state = NOTHING_LOADED;
  // As UTF-8, the blocks of a million records take about 70 MB, half of what strings may take.
  let blocks = new Map<number, Uint8Array>();
  return {
    trustMs: 0,
    readState: async () => ({ state }),
    readBlocks: async (load, numbers) =>
      numbers.map((number) => {
        const bytes = load === state.load ? blocks.get(number) : undefined;
        return bytes ? decoder.decode(bytes) : null;
      }),
    replace(next, replacement) {
      const loaded_at = new Date().toISOString();
      blocks = new Map(Array.from(replacement, ({ number, text }) => [number, encoder.encode(text)]));
      state = { ...next, loaded_at, sequence: state.sequence + 1 };
      return state;
    },
  };
}
