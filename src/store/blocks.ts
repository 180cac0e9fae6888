import type { TrafficRecord } from "../records/record.ts";
import { ROAD_USERS } from "../records/road-users.ts";

/**
 * Records in a block. Large enough that a free account's 1,000 KV writes per day hold 600,000 records, small enough
 * that reading a block (about 40 KB) to show one page of it costs little more than reading the page alone.
 */
export const BLOCK_SIZE = 600;

/**
 * The stored unit: consecutive records, oldest first, as a JSON array with one record per line. Both stores hold the
 * same text. The last block of a collection may hold fewer than `BLOCK_SIZE` records; an append makes it longer.
 */
export interface Block {
  /** The position of its first record: 1, 601, 1201, ... */
  first: number;
  text: string;
}

/** A range of positions, both ends included; empty if `last` is less than `first`. */
export interface Range {
  first: number;
  last: number;
}

/** The fields whose values vary, in the order of a line; `model_name` has one value and is not stored. */
const FIELDS = ["id", "camera_pk", "camera_ref", "timestamp", "camera_ok", ...ROAD_USERS] as const;

/** JSON writes a line feed inside a string as \n, so this occurs only between records. */
const SEPARATOR = ",\n";

/** The first position of the block that holds a position. */
export function blockStart(position: number): number {
  return position - ((position - 1) % BLOCK_SIZE);
}

/** The first positions of the blocks that hold a range, oldest first; none for an empty range. */
export function blockStarts({ first, last }: Range): number[] {
  const starts: number[] = [];
  if (last < first) return starts;
  for (let start = blockStart(first); start <= last; start += BLOCK_SIZE) starts.push(start);
  return starts;
}

/**
 * Arranges records in blocks.
 * @param records oldest first
 * @param tail the lines of an unfinished block that the records continue; empty to begin with a new block
 * @param first the position of the first of these lines or, if there are none, of the first record
 */
export function* encodeBlocks(
  records: Iterable<TrafficRecord>,
  tail: readonly string[] = [],
  first = 1,
): Generator<Block & { length: number }> {
  let lines = [...tail];
  let start = first;
  for (const record of records) {
    lines.push(encodeRecord(record));
    if (lines.length < BLOCK_SIZE) continue;
    yield { first: start, text: joinLines(lines), length: lines.length };
    start += lines.length;
    lines = [];
  }
  if (lines.length > 0) yield { first: start, text: joinLines(lines), length: lines.length };
}

/**
 * The lines of a block, one for each record, oldest first.
 * @param count records in the collection, which the block must hold as far as they belong into it; it may hold more if an
 *   append follows or was interrupted
 * @throws Error if the text is not that of a block, or if records are missing
 */
export function readLines({ first, text }: Block, count: number): string[] {
  if (!text.startsWith("[\n") || !text.endsWith("\n]"))
    throw new Error(
      `The block at position ${first} is damaged: it is not a JSON array with one record per line`,
    );
  const lines = text.slice(2, -2).split(SEPARATOR);
  const expected = Math.min(BLOCK_SIZE, count - first + 1);
  if (lines.length >= expected) return lines;
  throw new Error(
    `The block at position ${first} is damaged: it holds ${lines.length} of ${expected} records`,
  );
}

/**
 * Decodes one line of a block.
 * @throws Error if it is not a record
 */
export function decodeRecord(line: string): TrafficRecord {
  const values = parseLine(line);
  if (!Array.isArray(values) || values.length !== FIELDS.length)
    throw new Error(`A block contains a line that is not a record: ${line}`);
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

/**
 * The records of a range as the JSON text of a response's `results`, newest first.
 * @param linesOf the lines of the block that begins at a position
 * @throws Error if a block has fewer records than the range needs, or if one of them is damaged
 */
export function renderResults(range: Range, linesOf: (start: number) => readonly string[]): string {
  const records: TrafficRecord[] = [];
  for (const start of blockStarts(range)) {
    const lines = linesOf(start);
    const end = Math.min(range.last, start + BLOCK_SIZE - 1);
    if (lines.length <= end - start)
      throw new Error(
        `The block at position ${start} holds ${lines.length} records, ${end - start + 1} are needed`,
      );
    for (let position = Math.max(range.first, start); position <= end; position++)
      records.push(decodeRecord(lines[position - start] ?? ""));
  }
  return JSON.stringify(records.reverse());
}

function encodeRecord(record: TrafficRecord): string {
  return JSON.stringify(FIELDS.map((field) => record[field]));
}

function joinLines(lines: readonly string[]): string {
  return `[\n${lines.join(SEPARATOR)}\n]`;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`A block contains a line that is not JSON: ${line}`, { cause });
  }
}
