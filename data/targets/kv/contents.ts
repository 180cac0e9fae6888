import type { TrafficRecord } from "../../../src/records/record.ts";
import { BLOCK_SIZE, blocksOf, statisticsKey } from "../../../src/store/blocks.ts";
import type { State } from "../../../src/store/store.ts";
import type { Deployment } from "../../../tools/wrangler/wrangler.ts";
import { chunk } from "../../chunk.ts";
import { measureNamespace } from "../local-size.ts";
import { type Range, rangesOf } from "../ranges.ts";
import type { Loaded } from "../target.ts";
import { getValues, readState } from "./namespace.ts";

/** Ids that are looked for at once, which memory holds. */
const IDS = 100_000;

/**
 * What the namespace holds, and undefined if that is nothing.
 * @throws if wrangler fails, with its message
 */
export async function readLoaded(deployment: Deployment): Promise<Loaded | undefined> {
  const stored = await readState(deployment);
  if (!stored) return undefined;
  const { version, count, loaded_at: loadedAt } = stored;
  const [text] = await getValues([statisticsKey(stored)], deployment);
  return {
    state: { version, count },
    loadedAt,
    statistics: text === undefined ? undefined : JSON.parse(text),
    bytes: await measureNamespace(deployment),
  };
}

/**
 * The records of whole blocks, oldest first.
 * @param range at most 100 blocks
 * @throws if a block is missing, as is all of a version that was replaced and swept
 */
export async function readRecords(
  state: State,
  { first, last }: Range,
  deployment: Deployment,
): Promise<TrafficRecord[]> {
  const blocks = blocksOf(state, first, last).reverse();
  const texts = await getValues(
    blocks.map(({ key }) => key),
    deployment,
  );
  return texts.flatMap((text, index) => {
    if (text === undefined) throw new Error(`KV lacks the block ${blocks[index]?.key}`);
    return text.split("\n").reverse().map(parseRecord);
  });
}

function parseRecord(line: string): TrafficRecord {
  return JSON.parse(line);
}

/** The records of the last block, oldest first; none if it is full. */
export async function readTail(state: State, deployment: Deployment): Promise<TrafficRecord[]> {
  const length = state.count % BLOCK_SIZE;
  return length === 0 ? [] : readRecords(state, { first: state.count, last: state.count }, deployment);
}

/** Gives those of the ids that the records of a state have. */
export async function* findIds(
  ids: Iterable<number>,
  state: State,
  deployment: Deployment,
): AsyncGenerator<number> {
  for (const some of chunk(ids, IDS)) {
    const wanted = new Set(some);
    for (const range of rangesOf(state)) {
      for (const { id } of await readRecords(state, range, deployment)) if (wanted.has(id)) yield id;
    }
  }
}
