import type { TrafficRecord } from "../src/records/record.ts";
import { BLOCK_SIZE, blocksOf, decodeRange, openBlock } from "../src/store/block.ts";
import { MissingBlockError, type State, type Store } from "../src/store/state.ts";

/** Records that are read at once, about 1 MB. */
const PART_SIZE = 24 * BLOCK_SIZE;

/**
 * Reads the records of a state, newest first.
 * @throws Error if the collection was replaced meanwhile, if a block is missing or damaged, or if the store fails
 */
export async function* readRecords(store: Store, state: State): AsyncGenerator<TrafficRecord> {
  for (let first = 1; first <= state.count; first += PART_SIZE)
    yield* await readPart(store, state, first, Math.min(state.count, first + PART_SIZE - 1));
}

async function readPart(store: Store, state: State, first: number, last: number): Promise<TrafficRecord[]> {
  const numbers = blocksOf({ first, last });
  const texts = await store.readBlocks(state.load, numbers);
  const blocks = new Map(numbers.map((number, index) => [number, texts[index]]));
  const opened = new Map<number, ReturnType<typeof openBlock>>();
  for (const [number, text] of blocks) {
    if (typeof text !== "string") throw await explainMissing(store, state, number);
    opened.set(number, openBlock({ number, text }, state.count));
  }
  return decodeRange({ first, last }, (number) => opened.get(number) as ReturnType<typeof openBlock>);
}

async function explainMissing(store: Store, state: State, number: number): Promise<Error> {
  const current = (await store.readState(undefined, true)).state;
  return current.load === state.load
    ? new MissingBlockError(state, `Block ${number}`)
    : new Error("The collection was replaced while it was read. Run the command again.");
}
