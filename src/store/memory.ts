import { type PageLocation, type PageRequest, resolvePage } from "../records/page.ts";
import { BLOCK_SIZE, blockStarts, renderResults } from "./blocks.ts";
import type { Blocks, State, StoredPage } from "./store.ts";

/** A string takes at most two bytes per character; each line of a block is a string of its own. */
const BYTES_PER_CHARACTER = 2;
const BYTES_PER_LINE = 32;

/** What an instance keeps of the collection: a state, and blocks and pages of its version. */
export interface Memory {
  state(): State | undefined;
  /** When the store was asked for the state, in milliseconds since 1970. */
  readAt(): number;
  /**
   * Takes a state that the store gave, unless it was asked for it before it was asked for the one that is known.
   * @param askedAt when the store was asked, not when it responded: the state may have changed in between
   */
  learn(state: State, askedAt: number): void;
  /** Keeps blocks of the known state; those of another state are ignored. */
  keep(state: State, blocks: Blocks): void;
  /** A page of the known state, or of an earlier state of its version; undefined if it is not kept. */
  findPage(request: PageRequest): StoredPage | undefined;
}

/**
 * @param mostBytes of blocks and pages; when they take more, those that were asked for longest ago are dropped
 */
export function createMemory(mostBytes: number): Memory {
  let known: { state: State; askedAt: number } | undefined;
  const kept = createLru(mostBytes);

  const findLines = (start: number) => {
    const lines = kept.get(start);
    return typeof lines === "object" ? lines : undefined;
  };

  /** The results of a page; undefined if one of its blocks is not kept, or was kept before an append made it longer. */
  const render = ({ first, last }: PageLocation) => {
    for (const start of blockStarts({ first, last })) {
      const needed = Math.min(last, start + BLOCK_SIZE - 1) - start + 1;
      if ((findLines(start)?.length ?? 0) < needed) return undefined;
    }
    return renderResults({ first, last }, (start) => findLines(start) ?? []);
  };

  return {
    state: () => known?.state,
    readAt: () => known?.askedAt ?? Number.NEGATIVE_INFINITY,
    learn(state, askedAt) {
      if (known && askedAt < known.askedAt) return;
      if (known && !continues(state, known.state)) kept.clear();
      known = { state, askedAt };
    },
    keep(state, blocks) {
      if (state.revision !== known?.state.revision) return;
      for (const [start, lines] of blocks) kept.put(start, lines, sizeOfLines(lines));
    },
    findPage(request) {
      const location = known && resolvePage(request, known.state);
      if (!known || typeof location !== "object") return undefined;
      const key = `${location.count}-${location.number}`;
      const rendered = kept.get(key);
      const results = typeof rendered === "string" ? rendered : render(location);
      if (results === undefined) return undefined;
      if (results !== rendered) kept.put(key, results, results.length * BYTES_PER_CHARACTER);
      return { ...location, state: known.state, results };
    },
  };
}

/** Whether all blocks of the earlier state are blocks of the later one, which an append may have made longer. */
function continues(later: State, earlier: State): boolean {
  if (later.revision === earlier.revision) return true;
  return later.version === earlier.version && later.previous === earlier.revision;
}

function sizeOfLines(lines: readonly string[]): number {
  return lines.reduce((bytes, line) => bytes + line.length * BYTES_PER_CHARACTER + BYTES_PER_LINE, 0);
}

/** The lines of a block by its first position, or the results of a page by its count and number. */
type Kept = readonly string[] | string;

function createLru(mostBytes: number) {
  // A Map remembers the order in which its keys were set: the first is the one that was asked for longest ago.
  const entries = new Map<number | string, { value: Kept; bytes: number }>();
  let total = 0;

  const remove = (key: number | string) => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };

  return {
    get(key: number | string): Kept | undefined {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    put(key: number | string, value: Kept, bytes: number): void {
      remove(key);
      entries.set(key, { value, bytes });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (total <= mostBytes) return;
        remove(oldest);
      }
    },
    clear(): void {
      entries.clear();
      total = 0;
    },
  };
}
