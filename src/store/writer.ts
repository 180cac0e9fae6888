import type { TrafficRecord } from "../records/record.ts";
import { gatherStatistics, type Source, type Statistics } from "../records/statistics.ts";
import { type Block, blockStart, encodeBlocks, readLines } from "./blocks.ts";
import {
  ConflictError,
  createRevision,
  DamagedStateError,
  type NewState,
  type State,
  type Store,
} from "./store.ts";

/** Called with the number of records that have been written so far. */
export type OnProgress = (written: number) => void;

/**
 * Replaces the collection. The records are written beside the current state, and readers are switched when all of them
 * are stored. If it is interrupted at any moment, the state before is still served completely, and a later load removes
 * what is left over.
 * @param records oldest first
 * @param sources where the records come from
 * @returns the new state
 * @throws if the store fails
 */
export async function load(
  store: Store,
  records: Iterable<TrafficRecord>,
  onProgress?: OnProgress,
  sources: Source[] = [],
): Promise<State> {
  const current = await readReplaceable(store);
  if (current.version !== 0) await store.sweep("everything");
  // Two loads may begin within a millisecond, and a clock may have been set back.
  const version = Math.max(Date.now(), current.version + 1);
  const statistics = gatherStatistics(undefined, sources);
  const target = { version, revision: createRevision(Date.now()) };
  await writeBlocks(store, encodeBlocks(statistics.pass(records)), target, onProgress);
  const gathered = statistics.statistics();
  const state = await store.switchTo({
    ...target,
    count: gathered.records,
    statistics: gathered,
    firstWritten: 1,
  });
  if (current.version !== 0) await store.sweep("everything");
  return state;
}

/** The current state. A damaged one is replaced like an empty one: a load is how it is repaired. */
async function readReplaceable(store: Store): Promise<Pick<State, "version">> {
  try {
    return await store.readState(true);
  } catch (error) {
    if (error instanceof DamagedStateError) return { version: 0 };
    throw error;
  }
}

/**
 * Adds records behind those that are loaded: the version remains, the count grows. If it is interrupted at any moment,
 * the state before is still served completely.
 * @param records oldest first, at least one, all newer than what is loaded
 * @param base the state that the records were checked against
 * @param sources where the records come from
 * @returns the new state
 * @throws ConflictError if something else was written meanwhile, or if the store fails
 */
export async function append(
  store: Store,
  records: Iterable<TrafficRecord>,
  { state: base, statistics }: { state: State; statistics: Statistics },
  onProgress?: OnProgress,
  sources: Source[] = [],
): Promise<State> {
  await store.sweep("replaced");
  const firstWritten = blockStart(base.count + 1);
  const tail = await readTail(store, base, firstWritten);
  const gathering = gatherStatistics(statistics, sources);
  const target = { version: base.version, revision: createRevision(Date.now()), base };
  const blocks = encodeBlocks(gathering.pass(records), tail, firstWritten);
  await writeBlocks(store, blocks, target, onProgress);
  const gathered = gathering.statistics();
  return store.switchTo({ ...target, count: gathered.records, statistics: gathered, firstWritten });
}

/** The lines of the last block, which the append continues; none if that block is full. */
async function readTail(store: Store, base: State, first: number): Promise<string[]> {
  const { count } = base;
  if (first > count) return [];
  try {
    const [block] = await store.readBlocks(base, { first, last: count });
    // An interrupted append may have made the block longer already.
    return block ? readLines(block, count).slice(0, count - first + 1) : [];
  } catch (cause) {
    const { revision } = await store.readState(true);
    throw revision === base.revision ? cause : new ConflictError({ cause });
  }
}

async function writeBlocks(
  store: Store,
  blocks: ReturnType<typeof encodeBlocks>,
  target: Pick<NewState, "version" | "revision" | "base">,
  onProgress: OnProgress = () => {},
): Promise<void> {
  let batch: Block[] = [];
  let bytes = 0;
  let written = 0;
  const flush = async () => {
    await store.writeBlocks(batch, target);
    onProgress(written);
    batch = [];
    bytes = 0;
  };
  for (const block of blocks) {
    batch.push(block);
    bytes += block.text.length;
    written += block.length;
    if (bytes >= store.batchBytes) await flush();
  }
  if (batch.length > 0) await flush();
}
