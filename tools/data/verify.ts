import { formatProblem, MAX_SHOWN_PROBLEMS } from "../../data/formats/problem.ts";
import type { Row } from "../../data/formats/row.ts";
import { recordValidator } from "../../data/formats/validation.ts";
import { compareAge } from "../../data/records.ts";
import { stage } from "../../data/staging.ts";
import { BLOCKS_AT_ONCE, requireUnchanged } from "../../data/stored-records.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import type { Statistics } from "../../src/records/statistics.ts";
import {
  blockStarts,
  countInBlocks,
  decodeLines,
  type Lines,
  openBlock,
  openTail,
} from "../../src/store/blocks.ts";
import type { State, Store } from "../../src/store/store.ts";
import { openProgress } from "../command-line/progress.ts";

/** What is wrong with the stored collection. */
export interface Verification {
  blocks: number;
  /** The first 20, in the order of positions. */
  problems: string[];
  problemCount: number;
}

/** What messages call the source of the records; their lines are positions. */
const STORED = "stored records";

/**
 * Reads every block of a state, and checks the records as a load checks those of a file. Their order and their statistics must
 * be those that are stored.
 * @param statistics what the store holds as the statistics of the state
 * @throws Error if the collection is replaced meanwhile
 */
export async function verify(store: Store, state: State, statistics: Statistics): Promise<Verification> {
  const progress = openProgress("verifying", state.count);
  let blocks = 0;
  async function* read() {
    const check = createRowCheck();
    for await (const { first, records } of readParts(store, state)) {
      blocks++;
      progress.update(first);
      yield records instanceof Error
        ? [problemAt(first, records.message)]
        : records.flatMap((record, index) => check(record, first + index));
    }
  }
  const staged = await stage([STORED], { strict: true, read }).finally(progress.close);
  const different = findDifferences(staged.statistics(), statistics);
  staged.close();
  return {
    blocks,
    problems: [
      ...staged.problems.map(formatProblem),
      ...different.map((name) => `The statistics differ from the records in ${name}`),
    ].slice(0, MAX_SHOWN_PROBLEMS),
    problemCount: staged.problemCount + different.length,
  };
}

/** Creates a function that checks a record by itself, and that it is newer than the one before. */
function createRowCheck() {
  let before: TrafficRecord | undefined;
  return (record: TrafficRecord, line: number): Row[] => {
    const checked = recordValidator.validate(record, { file: STORED, line }, record);
    if ("problems" in checked) return [checked];
    const isMisplaced = before && compareAge(before, record) > 0;
    const problem = problemAt(line, `is stored after record ${before?.id}, which is newer`);
    before = record;
    return [{ file: STORED, line, record }, ...(isMisplaced ? [problem] : [])];
  };
}

function problemAt(line: number, message: string): Row {
  return { problems: [{ file: STORED, line, message }] };
}

interface Part {
  /** The position of its first record. */
  first: number;
  /** The records, or the error of a part that cannot be read. */
  records: TrafficRecord[] | Error;
}

/** The blocks of a state, and its tail. */
async function* readParts(store: Store, state: State): AsyncGenerator<Part> {
  const inBlocks = countInBlocks(state.count);
  const starts = blockStarts({ first: 1, last: inBlocks });
  for (let index = 0; index < starts.length; index += BLOCKS_AT_ONCE) {
    const some = starts.slice(index, index + BLOCKS_AT_ONCE);
    const range = { first: some[0] ?? 1, last: some.at(-1) ?? 0 };
    const blocks = await store.readBlocks(state, range).catch(() => undefined);
    // If one of them cannot be read, the others can.
    for (const [place, first] of some.entries()) {
      const block = blocks?.[place];
      yield { first, records: block ? decode(() => openBlock(block)) : await readOne(store, state, first) };
    }
  }
  if (state.count > inBlocks || state.tail !== "")
    yield { first: inBlocks + 1, records: decode(() => openTail(state.tail, state.count)) };
}

async function readOne(store: Store, state: State, first: number): Promise<TrafficRecord[] | Error> {
  try {
    const [block] = await store.readBlocks(state, { first, last: first });
    return block ? decode(() => openBlock(block)) : new Error("is missing");
  } catch (error) {
    await requireUnchanged(store, state, error);
    return Object(error);
  }
}

function decode(open: () => Lines): TrafficRecord[] | Error {
  try {
    return decodeLines(open());
  } catch (error) {
    return Object(error);
  }
}

function findDifferences(actual: Statistics, stored: Statistics): string[] {
  // The records do not contain where they come from.
  const { sources: _, source_count: __, ...checked } = actual;
  const names = Object.keys(checked) as (keyof typeof checked)[];
  return names.filter((name) => JSON.stringify(actual[name]) !== JSON.stringify(stored[name]));
}
