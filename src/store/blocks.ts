import { ROAD_USERS, type TrafficRecord } from "../records/record.ts";

/**
 * Records in a block, the same in every store. A smaller block is read faster, and needs more of KV's daily writes: 1,000 keys
 * hold 149,700 records.
 */
export const BLOCK_SIZE = 150;

/**
 * The stored unit: consecutive records, oldest first, as a JSON array with one record per line. A block is always full and
 * never changes.
 */
export interface Block {
  /** The position of its first record: 1, `BLOCK_SIZE` + 1, ... */
  first: number;
  text: string;
}

/** A range of positions, both ends included; empty if `last` is less than `first`. */
export interface Range {
  first: number;
  last: number;
}

/** Records as they are stored, oldest first: a block, or the tail of a state. */
export interface Lines {
  length: number;
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

/** The records of a collection that fill blocks; the newest ones, which do not, are the tail of the state. */
export function countInBlocks(count: number): number {
  return count - (count % BLOCK_SIZE);
}

/** The first positions of the blocks that hold a range, oldest first; none for an empty range. */
export function blockStarts({ first, last }: Range): number[] {
  const starts: number[] = [];
  if (last < first) return starts;
  for (let start = countInBlocks(first - 1) + 1; start <= last; start += BLOCK_SIZE) starts.push(start);
  return starts;
}

/**
 * Arranges records in blocks.
 * @param records oldest first
 * @param tail the tail that they continue
 * @param first the position of the first record of that tail or, if it is empty, of the first record
 * @returns when the last block was taken, the new tail: the lines that do not fill a block
 */
export function* encodeBlocks(
  records: Iterable<TrafficRecord>,
  tail = "",
  first = 1,
): Generator<Block, string> {
  let lines = tail === "" ? [] : tail.split(SEPARATOR);
  let start = first;
  for (const record of records) {
    lines.push(encodeRecord(record));
    if (lines.length < BLOCK_SIZE) continue;
    yield { first: start, text: wrapLines(lines.join(SEPARATOR)) };
    start += lines.length;
    lines = [];
  }
  return lines.join(SEPARATOR);
}

/**
 * Finds the lines of a block.
 * @throws ContentError if the text is not that of a full block
 */
export function openBlock({ first, text }: Block): Lines {
  if (!text.startsWith(BEGIN) || !text.endsWith(END))
    throw new ContentError(
      `The block at position ${first} is damaged: it is not a JSON array with one record per line`,
    );
  const lines = findLines(text.slice(BEGIN.length, -END.length));
  if (lines.length === BLOCK_SIZE) return lines;
  throw new ContentError(
    `The block at position ${first} is damaged: it holds ${lines.length} of ${BLOCK_SIZE} records`,
  );
}

/**
 * Finds the lines of the tail of a state.
 * @param count records in the collection
 * @throws ContentError if the tail does not hold the records that are in no block
 */
export function openTail(tail: string, count: number): Lines {
  const lines = findLines(tail);
  const expected = count - countInBlocks(count);
  if (lines.length === expected) return lines;
  throw new ContentError(`The state is damaged: its tail holds ${lines.length} of ${expected} records`);
}

/** Notes where the lines begin, so that only those of a page are cut out of the text. */
function findLines(text: string): Lines {
  const starts = text === "" ? [] : [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return {
    length: starts.length,
    line(index) {
      const next = starts[index + 1];
      return text.slice(starts[index], next && next - SEPARATOR.length);
    },
  };
}

/**
 * Decodes one line.
 * @throws ContentError if it is not a record
 */
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

/**
 * Decodes all records of a block or of a tail, oldest first.
 * @throws ContentError if one of them is damaged
 */
export function decodeLines(lines: Lines): TrafficRecord[] {
  return Array.from({ length: lines.length }, (_, index) => decodeRecord(lines.line(index)));
}

/**
 * The records of a range as the JSON text of a response's `results`, newest first.
 * @param linesOf the lines that begin at a position: of a block, or of the tail
 * @throws ContentError if one of the records is damaged
 */
export function renderResults(range: Range, linesOf: (start: number) => Lines): string {
  const records: TrafficRecord[] = [];
  for (const start of blockStarts(range)) {
    const lines = linesOf(start);
    const end = Math.min(range.last, start + BLOCK_SIZE - 1);
    for (let position = Math.max(range.first, start); position <= end; position++)
      records.push(decodeRecord(lines.line(position - start)));
  }
  return JSON.stringify(records.reverse());
}

/** The text of a block with these lines. */
export function wrapLines(lines: string): string {
  return BEGIN + lines + END;
}

/** A record as a line. */
export function encodeRecord(record: TrafficRecord): string {
  return JSON.stringify(FIELDS.map((field) => record[field]));
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new ContentError(`A stored line is not JSON: ${line}`, { cause });
  }
}
