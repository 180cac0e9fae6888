import { NO_STATISTICS, ROAD_USERS, type Statistics, type TrafficRecord } from "../records/record.ts";
import type { Reading, State, Store } from "./state.ts";

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
export interface PlaceRange {
  first: number;
  last: number;
}

/** Returns a line of a block by its index: one record, as a JSON array of its values. */
export type Lines = (index: number) => string;

/** What a store holds is damaged or incomplete, although the store itself works. */
export class ContentError extends Error {}

/** A block is missing that the state names. */
export class MissingBlockError extends ContentError {}

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
export function blocksOf({ first, last }: PlaceRange): number[] {
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
 * @param state names the load of the block, and says how many records it must have
 * @param text null if the store does not have it
 * @throws ContentError if it is missing or damaged
 */
export function openBlock(
  { load, count }: Pick<State, "load" | "count">,
  number: number,
  text: string | null | undefined,
): Lines {
  if (typeof text !== "string") throw new MissingBlockError(`Block ${number} of load ${load} is missing`);
  if (!text.startsWith(BEGIN) || !text.endsWith(END))
    throw new ContentError(`Block ${number} is damaged: it is not a JSON array with one record per line`);
  const starts: number[] = [];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  // The last one is where the line behind the records begins.
  const found = starts.length - 1;
  const expected = Math.min(BLOCK_SIZE, count - BLOCK_SIZE * (number - 1));
  if (found !== expected)
    throw new ContentError(`Block ${number} is damaged: it holds ${found} of ${expected} records`);
  return (index) => {
    const ending = index === expected - 1 ? "\n" : SEPARATOR;
    return text.slice(starts[index], Number(starts[index + 1]) - ending.length);
  };
}

/**
 * The records of a range, newest first.
 * @param blocks those that hold the range, by their numbers
 * @throws ContentError if one of the records is damaged
 */
export function decodeRange(
  { first, last }: PlaceRange,
  blocks: ReadonlyMap<number, Lines>,
): TrafficRecord[] {
  const records: TrafficRecord[] = [];
  for (let place = first; place <= last; place++) {
    const lines = blocks.get(lastBlock(place)) as Lines;
    records.push(decodeRecord(lines((place - 1) % BLOCK_SIZE)));
  }
  return records;
}

/** Decodes one line. */
function decodeRecord(line: string): TrafficRecord {
  const values = parse(line, `A stored line is not JSON: ${line}`);
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

/** @throws ContentError with the message */
function parse(json: string, message: string) {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new ContentError(message, { cause });
  }
}

/** D1 refuses a statement of more than 100 KB. */
const PIECE_BYTES = 80_000;

/** Ends a piece that another one follows. JSON writes a line feed inside a string as \n. */
const CONTINUED = "\n";

/**
 * The statistics of a load as its blocks 0, -1, -2, ...: JSON in ASCII without apostrophes, so that each character takes one byte, also in
 * a statement of SQL.
 */
export function encodeStatistics(statistics: Statistics): Block[] {
  const text = JSON.stringify(statistics).replaceAll(/['\u0080-\uffff]/g, escapeCharacter);
  const pieces = text.match(new RegExp(`.{1,${PIECE_BYTES}}`, "g")) ?? [];
  return pieces.map((piece, index) => ({
    number: -index,
    text: index < pieces.length - 1 ? piece + CONTINUED : piece,
  }));
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Reads the statistics of the load of a state.
 * @param reading with the first piece, if it was read with the state
 * @throws ContentError if a piece is missing or damaged
 */
export async function readStatistics(store: Store, { state, text }: Reading): Promise<Statistics> {
  const { load } = state;
  if (load === "") return NO_STATISTICS;
  let json = "";
  for (let number = 0, piece = text; ; number--, piece = undefined) {
    piece ??= (await store.readBlocks(load, [number]))[0];
    if (typeof piece !== "string")
      throw new MissingBlockError(`Piece ${-number} of the statistics of load ${load} is missing`);
    if (!piece.endsWith(CONTINUED)) return parseStatistics(json + piece);
    json += piece.slice(0, -CONTINUED.length);
  }
}

function parseStatistics(json: string): Statistics {
  return parse(json, `The statistics are damaged: ${json.slice(0, 100)}. Load the records again.`);
}
