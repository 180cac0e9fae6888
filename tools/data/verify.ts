import { MAX_SHOWN_PROBLEMS } from "../../data/formats/problem.ts";
import { compareAge } from "../../data/records.ts";
import { BLOCKS_AT_ONCE, requireUnchanged } from "../../data/stored-records.ts";
import { TrafficRecord } from "../../src/records/record.ts";
import { gatherStatistics, type Statistics } from "../../src/records/statistics.ts";
import {
  BLOCK_SIZE,
  blockStarts,
  countInBlocks,
  decodeLines,
  type Lines,
  openBlock,
  openTail,
} from "../../src/store/blocks.ts";
import type { State, Store } from "../../src/store/store.ts";
import { openProgress } from "../command-line/progress.ts";
import { createIdSet } from "../id-set.ts";

/** What is wrong with the stored collection. */
export interface Verification {
  blocks: number;
  /** The first 20, in the order of positions. */
  problems: string[];
  problemCount: number;
}

/**
 * Reads every block of a state, and compares the records with each other, with the state and with the statistics.
 * @param statistics what the store holds as the statistics of the state
 * @throws Error if the collection is replaced meanwhile
 */
export async function verify(store: Store, state: State, statistics: Statistics): Promise<Verification> {
  const verification: Verification = { blocks: 0, problems: [], problemCount: 0 };
  const report = (problem: string) => {
    verification.problemCount++;
    if (verification.problems.length < MAX_SHOWN_PROBLEMS) verification.problems.push(problem);
  };
  const progress = openProgress("verifying", state.count);
  const checkRecord = createRecordCheck(report);
  const gathering = gatherStatistics();
  try {
    for await (const records of readAll(store, state)) {
      verification.blocks++;
      if (records instanceof Error) report(records.message);
      else for (const record of gathering.pass(records)) checkRecord(record);
      progress.update(Math.min(state.count, verification.blocks * BLOCK_SIZE));
    }
  } finally {
    progress.close();
  }
  for (const name of findDifferences(gathering.statistics(), statistics))
    report(`The statistics differ from the records in ${name}`);
  return verification;
}

/** The records of each block of a state and of its tail, or the error of what cannot be read. */
async function* readAll(store: Store, state: State): AsyncGenerator<TrafficRecord[] | Error> {
  const starts = blockStarts({ first: 1, last: countInBlocks(state.count) });
  for (let index = 0; index < starts.length; index += BLOCKS_AT_ONCE) {
    const some = starts.slice(index, index + BLOCKS_AT_ONCE);
    const blocks = await store
      .readBlocks(state, { first: some[0] ?? 1, last: some.at(-1) ?? 0 })
      .catch(() => undefined);
    if (blocks) for (const block of blocks) yield decode(() => openBlock(block));
    else for (const first of some) yield await readOne(store, state, first);
  }
  if (state.tail !== "") yield decode(() => openTail(state.tail, state.count));
}

async function readOne(store: Store, state: State, first: number): Promise<TrafficRecord[] | Error> {
  try {
    const [block] = await store.readBlocks(state, { first, last: first });
    return block ? decode(() => openBlock(block)) : new Error(`The block at position ${first} is missing`);
  } catch (error) {
    await requireUnchanged(store, state, error);
    return error instanceof Error ? error : new Error(String(error));
  }
}

function decode(open: () => Lines): TrafficRecord[] | Error {
  try {
    return decodeLines(open());
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Creates a function that checks a record by itself and against the records before it, which are older. */
function createRecordCheck(report: (problem: string) => void) {
  const ids = createIdSet();
  const refs = new Map<number, string>();
  let before: TrafficRecord | undefined;
  return (record: TrafficRecord): void => {
    const name = `Record ${record.id}`;
    const [issue] = TrafficRecord.safeParse(record).error?.issues ?? [];
    if (issue) report(`${name} is not valid: ${issue.path.join(".")}: ${issue.message}`);
    if (!ids.add(record.id)) report(`${name} is stored twice`);
    const ref = refs.get(record.camera_pk) ?? record.camera_ref;
    if (ref !== record.camera_ref) report(`${name} has another camera_ref than older ones of its camera_pk`);
    refs.set(record.camera_pk, ref);
    if (before && compareAge(before, record) > 0)
      report(`${name} is stored after record ${before.id}, which is newer`);
    before = record;
  };
}

function findDifferences(actual: Statistics, stored: Statistics): string[] {
  // The records do not contain where they come from.
  const { sources: _, ...checked } = actual;
  const names = Object.keys(checked) as (keyof typeof checked)[];
  return names.filter((name) => JSON.stringify(actual[name]) !== JSON.stringify(stored[name]));
}
