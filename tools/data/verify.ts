import { formatProblem, MAX_SHOWN_PROBLEMS } from "../../data/formats/problem.ts";
import type { Row } from "../../data/formats/row.ts";
import { recordValidator } from "../../data/formats/validation.ts";
import { compareAge } from "../../data/records.ts";
import { stage } from "../../data/staging.ts";
import { readParts } from "../../data/stored-records.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import type { Statistics } from "../../src/records/statistics.ts";
import { ContentError } from "../../src/store/blocks.ts";
import type { State, Store } from "../../src/store/store.ts";
import { openProgress } from "../command-line/progress.ts";

/** What is wrong with the stored collection. */
export interface Verification {
  /** How many could be read. */
  records: number;
  /** The first 20, in the order of positions. */
  problems: string[];
  problemCount: number;
}

/** What messages call the source of the records; their lines are positions. */
const STORED = "stored records";

/**
 * Reads all records of a state, up to the first block that is damaged, and checks them as a load checks those of a file. Their
 * order and their statistics must be those that are stored.
 * @param statistics what the store holds as the statistics of the state
 * @throws Error if the collection is replaced meanwhile, or if the store fails
 */
export async function verify(store: Store, state: State, statistics: Statistics): Promise<Verification> {
  const progress = openProgress("verifying", state.count);
  let records = 0;
  let damage: string | undefined;
  async function* read(): AsyncGenerator<Row[]> {
    const check = createRowCheck();
    try {
      for await (const part of readParts(store, state)) {
        yield part.flatMap((record) => check(record, ++records));
        progress.update(records);
      }
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      damage = error.message;
    }
  }
  const staged = await stage([STORED], { strict: true, read }).finally(progress.close);
  staged.close();
  const others = damage === undefined ? findDifferences(staged.statistics(), statistics) : [damage];
  return {
    records,
    problems: [...staged.problems.map(formatProblem), ...others].slice(0, MAX_SHOWN_PROBLEMS),
    problemCount: staged.problemCount + others.length,
  };
}

/** Creates a function that checks a record by itself, and that it is newer than the one before. */
function createRowCheck() {
  let before: TrafficRecord | undefined;
  return (record: TrafficRecord, line: number): Row[] => {
    const place = { file: STORED, line };
    const checked = recordValidator.validate(record, place, record);
    if ("problems" in checked) return [checked];
    const isMisplaced = before && compareAge(before, record) > 0;
    const message = `is stored after record ${before?.id}, which is newer`;
    before = record;
    return [{ ...place, record }, ...(isMisplaced ? [{ problems: [{ ...place, message }] }] : [])];
  };
}

function findDifferences(actual: Statistics, stored: Statistics): string[] {
  // The records do not contain where they come from.
  const { sources: _, source_count: __, ...checked } = actual;
  const names = Object.keys(checked) as (keyof typeof checked)[];
  return names
    .filter((name) => JSON.stringify(actual[name]) !== JSON.stringify(stored[name]))
    .map((name) => `The statistics differ from the records in ${name}`);
}
