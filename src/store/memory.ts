import { resolvePage } from "../records/page.ts";
import { gatherStatistics } from "../records/statistics.ts";
import { type Block, blockStarts, countInBlocks, type Range } from "./blocks.ts";
import {
  ConflictError,
  createState,
  isDead,
  MissingBlockError,
  NOTHING_LOADED,
  type StateStatistics,
  type Store,
} from "./store.ts";

/** A block with the write that stored it. As UTF-8, the blocks of a million records take about 70 MB. */
interface StoredBlock {
  load: string;
  first: number;
  revision: string;
  bytes: Uint8Array;
}

/** The collection in the memory of a process, for the package and for tests. It is gone when the process ends. */
export function createMemoryStore(): Store {
  const blocks = createBlocks();
  let current: StateStatistics = { state: NOTHING_LOADED, statistics: gatherStatistics().statistics() };

  /** Removes blocks of dead writes, which may have left some behind those of the current load. */
  const sweep = async (isDeadName: (name: string) => boolean) => {
    const { load, count } = current.state;
    blocks.remove((block) => {
      if (block.load !== load) return isDeadName(block.load);
      return block.first > countInBlocks(count) && isDeadName(block.revision);
    });
  };

  return {
    trustMs: 0,
    lagMs: 0,
    takesAppends: true,
    isExclusive: false,
    batchBytes: 1_000_000,
    readState: async () => current.state,
    async readPage(request) {
      const { state } = current;
      const location = resolvePage(request, state.count);
      if (!location) return { state, blocks: [] };
      const last = Math.min(location.last, countInBlocks(state.count));
      return { state, blocks: blocks.find(state.load, { ...location, last }) };
    },
    async readBlocks({ load }, range) {
      const found = blocks.find(load, range);
      if (found.length === blockStarts(range).length) return found;
      throw new MissingBlockError(`Blocks of load ${load} were removed from memory`);
    },
    readStatistics: async () => current,
    async writeBlocks(added, owner) {
      if (!owner.base || owner.base.revision === current.state.revision) blocks.put(added, owner);
    },
    async switchTo(next, expected) {
      const from = next.load === expected.load ? countInBlocks(expected.count) + 1 : 1;
      const isComplete = blocks.has({ first: from, last: countInBlocks(next.count) }, next);
      if (current.state.revision !== expected.revision || !isComplete) throw new ConflictError();
      current = { state: createState(next, expected), statistics: next.statistics };
      return current.state;
    },
    sweep: (dead) => sweep((name) => isDead(name, dead)),
    discard: (_, { revision }) => sweep((name) => name === revision),
  };
}

function createBlocks() {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const blocks = new Map<string, StoredBlock>();
  return {
    put(added: Block[], { load, revision }: Pick<StoredBlock, "load" | "revision">): void {
      for (const { first, text } of added)
        blocks.set(`${load}/${first}`, { load, first, revision, bytes: encoder.encode(text) });
    },
    find: (load: string, range: Range): Block[] =>
      blockStarts(range).flatMap((first) => {
        const block = blocks.get(`${load}/${first}`);
        return block ? [{ first, text: decoder.decode(block.bytes) }] : [];
      }),
    /** Whether all blocks of a range are of one write. */
    has: (range: Range, { load, revision }: Pick<StoredBlock, "load" | "revision">) =>
      blockStarts(range).every((first) => blocks.get(`${load}/${first}`)?.revision === revision),
    remove(isRemovable: (block: StoredBlock) => boolean): void {
      for (const [key, block] of blocks) if (isRemovable(block)) blocks.delete(key);
    },
  };
}
