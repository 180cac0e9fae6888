import type { TrafficRecord } from "../../../src/records/record.ts";
import { gatherStatistics, type Statistics } from "../../../src/records/statistics.ts";
import { BLOCK_SIZE, blocksOf, statisticsKey } from "../../../src/records/store/blocks.ts";
import type { State } from "../../../src/records/store/store.ts";
import type { Continued } from "../target.ts";

/** A key of the namespace and what is written under it. */
export interface Pair {
  key: string;
  value: string;
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
