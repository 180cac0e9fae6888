import type { TrafficRecord } from "../records/record.ts";
import { gatherStatistics, type Statistics } from "../records/statistics.ts";
import { BLOCK_SIZE, blocksOf, STATE_KEY, statisticsKey } from "./blocks.ts";
import type { Continued, State } from "./store.ts";

/** A key of the namespace and what is written under it. */
export interface Pair {
  key: string;
  value: string;
}

/** What stands under the state's key; readers need no more than the state. */
export interface StoredState extends State {
  /** When the state was switched, ISO 8601. */
  loaded_at: string;
}

/**
 * Everything that a load writes before the state: blocks and, behind them, the statistics.
 * @param records oldest first; as many as `state.count`
 */
export function* writePairs(records: Iterable<TrafficRecord>, state: State): Generator<Pair> {
  const gathering = gatherStatistics();
  yield* writeBlocks(gathering.pass(records), state);
  yield pairOf(state, gathering.statistics());
}

/**
 * Everything that an append writes before the state: the last block anew if it is not full, the blocks behind it, and
 * the statistics.
 * @param tail the records of that last block, oldest first; none if it is full
 * @param records oldest first; `count` less those that are loaded
 * @param count records in the collection afterwards
 */
export function* appendPairs(
  tail: TrafficRecord[],
  records: Iterable<TrafficRecord>,
  loaded: Continued,
  count: number,
): Generator<Pair> {
  const state = { version: loaded.state.version, count };
  const gathering = gatherStatistics(loaded.statistics);
  yield* writeBlocks(concatenate(tail, gathering.pass(records)), state, loaded.state.count - tail.length);
  yield pairOf(state, gathering.statistics());
}

/** What switches readers to a state, and tells when that was: written last, when all that the state names is there. */
export function switchTo(state: State, at: Date): Pair {
  const stored: StoredState = { ...state, loaded_at: at.toISOString() };
  return { key: STATE_KEY, value: JSON.stringify(stored) };
}

function* concatenate<T>(...lists: Iterable<T>[]): Generator<T> {
  for (const list of lists) yield* list;
}

function pairOf(state: State, statistics: Statistics): Pair {
  return { key: statisticsKey(state), value: JSON.stringify(statistics) };
}

/**
 * The blocks of a load, oldest first.
 * @param records oldest first; as many as `state.count`, less those before
 * @param before the position after which the records, and a block, begin
 */
export function* writeBlocks(records: Iterable<TrafficRecord>, state: State, before = 0): Generator<Pair> {
  let lines: string[] = [];
  let position = before;
  for (const record of records) {
    lines.push(JSON.stringify(record));
    position += 1;
    if (position % BLOCK_SIZE !== 0 && position !== state.count) continue;
    for (const { key } of blocksOf(state, position, position))
      yield { key, value: lines.reverse().join("\n") };
    lines = [];
  }
}
