import type { TrafficRecord } from "../../../src/records/record.ts";
import { type Gathering, gatherStatistics } from "../../../src/records/statistics.ts";
import { BLOCK_SIZE, blocksOf, statisticsKey } from "../../../src/records/store/blocks.ts";
import type { State } from "../../../src/records/store/store.ts";

/** A key of the namespace and what is written under it. */
export interface Pair {
  key: string;
  value: string;
}

/**
 * Everything that a load writes before the state: blocks and, behind them, the statistics.
 * @param records oldest first; as many as `state.count`
 */
export function* writePairs(
  records: Iterable<TrafficRecord>,
  state: State,
  gathering: Gathering = gatherStatistics(),
): Generator<Pair> {
  yield* writeBlocks(gathering.pass(records), state);
  yield { key: statisticsKey(state), value: JSON.stringify(gathering.statistics()) };
}

/**
 * The blocks of a load, oldest first.
 * @param records oldest first; as many as `state.count`
 */
export function* writeBlocks(records: Iterable<TrafficRecord>, state: State): Generator<Pair> {
  let lines: string[] = [];
  let position = 0;
  for (const record of records) {
    lines.push(JSON.stringify(record));
    position += 1;
    if (position % BLOCK_SIZE !== 0 && position !== state.count) continue;
    for (const { key } of blocksOf(state, position, position))
      yield { key, value: lines.reverse().join("\n") };
    lines = [];
  }
}
