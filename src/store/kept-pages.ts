import type { StoredPage } from "./store.ts";

/** A string takes at most two bytes a character. */
const BYTES_PER_CHARACTER = 2;

export interface KeptPages {
  /** @param count records in the state that it is a page of */
  get(count: number, number: number): StoredPage | undefined;
  put(page: StoredPage): void;
  clear(): void;
}

/**
 * Pages of one version in memory, each of one of its states. When they take more than they may, those that were asked for longest ago go.
 * @param most bytes
 */
export function keepPages(most: number): KeptPages {
  // A Map remembers the order in which its keys were set: the first is the one asked for longest ago.
  const pages = new Map<string, StoredPage>();
  let bytes = 0;

  const remove = (page: StoredPage) => {
    pages.delete(nameOf(page.state.count, page.number));
    bytes -= sizeOf(page);
  };

  return {
    get(count, number) {
      const name = nameOf(count, number);
      const page = pages.get(name);
      if (!page) return undefined;
      pages.delete(name);
      pages.set(name, page);
      return page;
    },
    put(page) {
      const name = nameOf(page.state.count, page.number);
      const before = pages.get(name);
      if (before) remove(before);
      pages.set(name, page);
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

function nameOf(count: number, number: number): string {
  return `${count}-${number}`;
}

function sizeOf({ results }: StoredPage): number {
  return results.length * BYTES_PER_CHARACTER;
}
