import { ROAD_USERS, type TrafficRecord } from "../records/record.ts";

/**
 * Records in a block, the same in every store. A smaller block is read faster, and needs more of KV's daily writes: 1,000 keys
 * hold 149,700 records. It is a multiple of the records of a page, so each page lies in one block.
 */
export const BLOCK_SIZE = 150;

/**
 * The stored unit: consecutive records, newest first, as a JSON array with one record per line. Block 1 holds the newest
 * records, and only the last block of a load can have fewer than `BLOCK_SIZE`. A block never changes.
 */
export interface Block {
  number: number;
  text: string;
}

/** Consecutive places, both ends included; empty if `last` is less than `first`. Place 1 is the newest record. */
export interface Range {
  first: number;
  last: number;
}

/** The records of a block. */
export interface Lines {
  /** One record, as a JSON array of its values. */
  line(index: number): string;
}

/** What a store holds is damaged or incomplete, although the store itself works. */
export class ContentError extends Error {}

/** The fields whose values vary, in the order of a line; `model_name` has one value and is not stored. */
const FIELDS = ["id", "camera_pk", "camera_ref", "timestamp", "camera_ok", ...ROAD_USERS] as const;

/** JSON writes a line feed inside a string as \n, so this occurs only between records. */
export const SEPARATOR = ",\n";
const BEGIN = "[\n";
const END = "\n]";

/** The number of the last block of a load, 0 if it has no records. */
export function lastBlock(count: number): number {
  return Math.ceil(count / BLOCK_SIZE);
}

/** The numbers of the blocks that hold a range; none for an empty range. */
export function blocksOf({ first, last }: Range): number[] {
  const numbers: number[] = [];
  for (let number = lastBlock(first); number <= lastBlock(last) && first <= last; number++)
    numbers.push(number);
  return numbers;
}

/** The text of a block with these lines. */
export function wrapLines(lines: string): string {
  return BEGIN + lines + END;
}

/** A record as a line. */
export function encodeRecord(record: TrafficRecord): string {
  return JSON.stringify(FIELDS.map((field) => record[field]));
}

/**
 * Finds the lines of a block. It notes where they begin, so that only those of a page are cut out of the text.
 * @param count records in the load, which say how many the block must have
 * @throws ContentError if it does not have them
 */
export function openBlock({ number, text }: Block, count: number): Lines {
  const expected = Math.min(BLOCK_SIZE, count - BLOCK_SIZE * (number - 1));
  if (!text.startsWith(BEGIN) || !text.endsWith(END))
    throw new ContentError(`Block ${number} is damaged: it is not a JSON array with one record per line`);
  const starts: number[] = [];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  // The last one is where the line behind the records begins.
  if (starts.length - 1 !== expected)
    throw new ContentError(
      `Block ${number} is damaged: it holds ${starts.length - 1} of ${expected} records`,
    );
  return {
    line(index) {
      const isLast = index === expected - 1;
      return text.slice(starts[index], Number(starts[index + 1]) - (isLast ? 1 : SEPARATOR.length));
    },
  };
}

/**
 * The records of a range, newest first.
 * @param linesOf the lines of a block by its number
 * @throws ContentError if one of the records is damaged
 */
export function decodeRange({ first, last }: Range, linesOf: (block: number) => Lines): TrafficRecord[] {
  const records: TrafficRecord[] = [];
  for (let place = first; place <= last; place++)
    records.push(decodeRecord(linesOf(lastBlock(place)).line((place - 1) % BLOCK_SIZE)));
  return records;
}

/** Decodes one line. */
function decodeRecord(line: string): TrafficRecord {
  const values = parseLine(line);
  if (!Array.isArray(values) || values.length !== FIELDS.length)
    throw new ContentError(`A stored line is not a record: ${line}`);
  return {
    id: values[0],
    camera_pk: values[1],
    camera_ref: values[2],
    timestamp: values[3],
    camera_ok: values[4],
    cars: values[5],
    persons: values[6],
    bicycles: values[7],
    trucks: values[8],
    motorcycles: values[9],
    buses: values[10],
    model_name: "tf1",
  };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new ContentError(`A stored line is not JSON: ${line}`, { cause });
  }
}
