import { NO_STATISTICS, ROAD_USERS, type Statistics, type TrafficRecord } from "../records/record.ts";
import type { Store } from "./state.ts";

/**
 * The number of records in a block, the same in every store. It is a multiple of the records of a page, so each page lies in one block.
 * With this number, the usual lines of 60 to 63 bytes fill whole pages of SQLite, and the longest lines fit into a D1 statement.
 */
export const BLOCK_SIZE = 210;

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

/** A block is missing that the state names. */
export class MissingBlockError extends Error {}

/** The fields whose values vary, in the order of a line; `model_name` has one value and is not stored. */
const STORED_FIELDS = ["id", "camera_pk", "camera_ref", "timestamp", "camera_ok", ...ROAD_USERS] as const;

/** JSON writes a line feed inside a string as \n, so this occurs only between records. */
export const RECORD_SEPARATOR = ",\n";
const BLOCK_START = "[\n";
const BLOCK_END = "\n]";

/** The number of the last block of a load, 0 if it has no records. */
export function getBlockNumber(count: number): number {
  return Math.ceil(count / BLOCK_SIZE);
}

/** The numbers of the blocks that hold a range; none for an empty range. */
export function getBlockNumbers({ first, last }: PlaceRange): number[] {
  const numbers: number[] = [];
  for (let number = getBlockNumber(first); number <= getBlockNumber(last) && first <= last; number++)
    numbers.push(number);
  return numbers;
}

/** The text of a block with these lines. */
export function formatBlock(lines: string): string {
  return BLOCK_START + lines + BLOCK_END;
}

/** A record as a line. */
export function encodeRecord(record: TrafficRecord): string {
  return JSON.stringify(STORED_FIELDS.map((field) => record[field]));
}

/**
 * Reads the texts of blocks. If one is missing, because a replica may lag, all of them are read from the primary database.
 * @throws MissingBlockError
 */
export async function requireBlocks(store: Store, load: string, numbers: number[]): Promise<string[]> {
  let texts = await store.readBlocks(load, numbers);
  if (texts.includes(null)) texts = await store.readBlocks(load, numbers, true);
  const missing = texts.indexOf(null);
  if (missing >= 0) throw new MissingBlockError(`Block ${numbers[missing]} of load ${load} is missing`);
  return texts as string[];
}

/**
 * The lines of a block: each is a record, as a JSON array of its values.
 * @param count the records of its load, which say how many the block must have
 * @throws Error if it is damaged
 */
export function parseBlock(count: number, number: number, text: string): string[] {
  if (!text.startsWith(BLOCK_START) || !text.endsWith(BLOCK_END))
    throw new Error(`Block ${number} is damaged: it is not a JSON array with one record per line`);
  const lines = text.slice(BLOCK_START.length, -BLOCK_END.length).split(RECORD_SEPARATOR);
  const expected = Math.min(BLOCK_SIZE, count - BLOCK_SIZE * (number - 1));
  if (lines.length !== expected)
    throw new Error(`Block ${number} is damaged: it holds ${lines.length} of ${expected} records`);
  return lines;
}

/**
 * The records of a range, newest first.
 * @param blocks the lines of those that hold the range, in their order
 * @throws Error if one of the records is damaged
 */
export function decodeRange({ first, last }: PlaceRange, blocks: string[][]): TrafficRecord[] {
  const start = (first - 1) % BLOCK_SIZE;
  return blocks
    .flat()
    .slice(start, start + last - first + 1)
    .map(decodeRecord);
}

/** Decodes one line. */
function decodeRecord(line: string): TrafficRecord {
  const values = parseJson(line, `A stored line is not JSON: ${line}`);
  if (!Array.isArray(values) || values.length !== STORED_FIELDS.length)
    throw new Error(`A stored line is not a record: ${line}`);
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

/** @throws Error with the message */
function parseJson(json: string, message: string) {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error(message, { cause });
  }
}

/** D1 refuses a statement of more than 100 KB. */
const MAX_PIECE_BYTES = 80_000;

/** Ends a piece that another one follows. JSON writes a line feed inside a string as \n. */
const CONTINUED = "\n";

/**
 * The statistics of a load as its blocks 0, -1, -2, ...: JSON in ASCII without apostrophes, so that each character takes one byte, also in
 * a statement of SQL.
 */
export function encodeStatistics(statistics: Statistics): Block[] {
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const text = JSON.stringify(statistics).replaceAll(/['\u0080-\uffff]/g, escapeUnit);
  const pieces = text.match(new RegExp(`.{1,${MAX_PIECE_BYTES}}`, "g")) ?? [];
  const end = (index: number) => (index < pieces.length - 1 ? CONTINUED : "");
  return pieces.map((piece, index) => ({ number: -index, text: piece + end(index) }));
}

/**
 * Reads the statistics of a load.
 * @param load empty if nothing was ever loaded
 * @throws MissingBlockError if a piece is missing
 * @throws Error if they are damaged
 */
export async function readStatistics(store: Store, load: string): Promise<Statistics> {
  if (load === "") return NO_STATISTICS;
  let json = "";
  for (let number = 0; ; number--) {
    const [piece = ""] = await requireBlocks(store, load, [number]);
    json += piece;
    if (!piece.endsWith(CONTINUED)) break;
    json = json.slice(0, -CONTINUED.length);
  }
  return parseJson(json, `The statistics are damaged: ${json.slice(0, 100)}. Load the records again.`);
}
