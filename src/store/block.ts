import type { PositionRange } from "../records/page.ts";
import { ROAD_USERS } from "../records/road-users.ts";
import type { TrafficRecord } from "../records/schema.ts";

/**
 * A part of a snapshot, which a store keeps as one text. From 1 on, a block contains consecutive records: a JSON array with one record
 * per line. Block 1 has the newest records, and only the last one can have fewer than `BLOCK_SIZE`. The blocks 0, -1, ... contain the
 * statistics (see `encodeStatistics`).
 */
export interface Block {
  number: number;
  text: string;
}

/**
 * How many records a block has: a multiple of `PAGE_SIZE`, so that a page lies in one block unless records are hidden. A block of the
 * sample data has 12 KB, and one of the longest possible records still fits into a D1 statement, 100 KB. The view in data/migrations
 * repeats this number.
 */
export const BLOCK_SIZE = 195;

/** A record without `id` and `camera_pk`. */
export type Observation = Omit<TrafficRecord, "id" | "camera_pk">;

const OBSERVED_FIELDS = ["camera_ref", "timestamp", "camera_ok", ...ROAD_USERS] as const;

/** The stored fields, in the order of a line. `model_name` is not stored, because all records have the same value. */
const STORED_FIELDS = ["id", "camera_pk", ...OBSERVED_FIELDS] as const;

/** Occurs only between records, because JSON has no line feed inside a string. */
export const RECORD_SEPARATOR = ",\n";
const BLOCK_START = "[\n";
const BLOCK_END = "\n]";

export function getBlockNumber(position: number): number {
  return Math.ceil(position / BLOCK_SIZE);
}

/** Returns the numbers of the blocks that contain a range, in order. An empty range has none. */
export function getBlockNumbers({ first, last }: PositionRange): number[] {
  if (last < first) return [];
  const start = getBlockNumber(first);
  return Array.from({ length: getBlockNumber(last) - start + 1 }, (_, index) => start + index);
}

/** Formats a block of records from lines with `RECORD_SEPARATOR` between them. */
export function formatBlock(lines: string): string {
  return BLOCK_START + lines + BLOCK_END;
}

export function encodeRecord(record: TrafficRecord): string {
  return `[${record.id},${record.camera_pk},${encodeLineEnd(record)}`;
}

/** Encodes a line without `id` and `camera_pk`, which a load of reports assigns last. */
export function encodeLineEnd(observation: Observation): string {
  return JSON.stringify(OBSERVED_FIELDS.map((field) => observation[field])).slice(1);
}

/**
 * Parses a block of records into lines. Each line is a JSON array with the values of a record.
 * @param count How many records the snapshot has, to check that no line is missing
 * @throws Error if the block is damaged
 */
export function parseBlock({ number, text }: Block, count: number): string[] {
  if (!text.startsWith(BLOCK_START) || !text.endsWith(BLOCK_END))
    throw new Error(`Block ${number} is damaged: it is not a JSON array with one record per line`);
  const lines = text.slice(BLOCK_START.length, -BLOCK_END.length).split(RECORD_SEPARATOR);
  const expected = Math.min(BLOCK_SIZE, count - BLOCK_SIZE * (number - 1));
  if (lines.length !== expected)
    throw new Error(`Block ${number} is damaged: it contains ${lines.length} of ${expected} records`);
  return lines;
}

/**
 * Decodes the records of a range, newest first.
 * @param blocks The lines of each block that contains a part of the range, in order
 * @throws Error if a record is damaged
 */
export function decodeRange({ first, last }: PositionRange, blocks: string[][]): TrafficRecord[] {
  const start = (first - 1) % BLOCK_SIZE;
  const lines = blocks.flat().slice(start, start + last - first + 1);
  return lines.map(decodeRecord);
}

/** @throws Error if the line is damaged */
function decodeRecord(line: string): TrafficRecord {
  const values = JSON.parse(line);
  if (!Array.isArray(values) || values.length !== STORED_FIELDS.length)
    throw new Error(`A stored line is not a record: ${line}`);
  const record: Record<string, unknown> = {};
  for (const [index, field] of STORED_FIELDS.entries()) record[field] = values[index];
  record.model_name = "tf1";
  return record as TrafficRecord;
}
