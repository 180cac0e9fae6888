import type { PageLocation } from "../records/page.ts";
import { BLOCK_SIZE, type Block, type Lines } from "./blocks.ts";
import type { State } from "./store.ts";

/** A string takes at most two bytes per character. Where each line of a block begins is a number. */
const BYTES_PER_CHARACTER = 2;
const BYTES_PER_LINE = 8;

/** The blocks, and the results of pages, that an instance keeps in memory. */
export interface Kept {
  findBlock(state: State, first: number): Lines | undefined;
  /** @param lines those of the block */
  keepBlock(state: State, block: Block, lines: Lines): void;
  /** Finds a page of the state. */
  findResults(state: State, location: PageLocation): string | undefined;
  keepResults(state: State, location: PageLocation, results: string): void;
  clear(): void;
}

/** @param mostBytes if there are more, the blocks and results that were asked for longest ago are dropped */
export function createKept(mostBytes: number): Kept {
  // A Map remembers the order in which its keys were set: the first is the one that was asked for longest ago.
  const entries = new Map<string, { value: Lines | string; bytes: number }>();
  let total = 0;

  const remove = (key: string) => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  const find = (key: string) => {
    const entry = entries.get(key);
    if (!entry) return undefined;
    entries.delete(key);
    entries.set(key, entry);
    return entry.value;
  };
  const keep = (key: string, value: Lines | string, bytes: number) => {
    remove(key);
    entries.set(key, { value, bytes });
    total += bytes;
    for (const oldest of entries.keys()) {
      if (total <= mostBytes) return;
      remove(oldest);
    }
  };

  return {
    findBlock(state, first) {
      const lines = find(blockKey(state, first));
      return typeof lines === "object" ? lines : undefined;
    },
    keepBlock(state, { first, text }, lines) {
      keep(blockKey(state, first), lines, text.length * BYTES_PER_CHARACTER + BLOCK_SIZE * BYTES_PER_LINE);
    },
    findResults(state, location) {
      const results = find(pageKey(state, location));
      return typeof results === "string" ? results : undefined;
    },
    keepResults(state, location, results) {
      keep(pageKey(state, location), results, results.length * BYTES_PER_CHARACTER);
    },
    clear() {
      entries.clear();
      total = 0;
    },
  };
}

function blockKey({ load }: State, first: number): string {
  return `${load}/${first}`;
}

function pageKey({ revision }: State, { count, number }: PageLocation): string {
  return `${revision} ${count} ${number}`;
}
