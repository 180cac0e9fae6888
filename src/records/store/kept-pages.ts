import type { StoredPage } from "./store.ts";

/** A string takes at most two bytes a character. */
const BYTES_PER_CHARACTER = 2;

export interface KeptPages {
  get(number: number): StoredPage | undefined;
  put(page: StoredPage): void;
  clear(): void;
}

/**
 * Pages in memory, by number. When they take more than they may, those that were asked for longest ago go.
 * @param most bytes
 */
export function keepPages(most: number): KeptPages {
  // A Map remembers the order in which its keys were set: the first is the one asked for longest ago.
  const pages = new Map<number, StoredPage>();
  let bytes = 0;

  const remove = (page: StoredPage) => {
    pages.delete(page.number);
    bytes -= sizeOf(page);
  };

  return {
    get(number) {
      const page = pages.get(number);
      if (!page) return undefined;
      pages.delete(number);
      pages.set(number, page);
      return page;
    },
    put(page) {
      const before = pages.get(page.number);
      if (before) remove(before);
      pages.set(page.number, page);
      bytes += sizeOf(page);
      for (const oldest of pages.values()) {
        if (bytes <= most) return;
        remove(oldest);
      }
    },
    clear() {
      pages.clear();
      bytes = 0;
    },
  };
}

function sizeOf({ results }: StoredPage): number {
  return results.length * BYTES_PER_CHARACTER;
}
