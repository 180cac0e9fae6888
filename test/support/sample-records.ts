import type { TrafficRecord } from "../../src/records/schema.ts";
import {
  BLOCK_SIZE,
  type Block,
  encodeRecord,
  formatBlock,
  getBlockNumber,
  RECORD_SEPARATOR,
} from "../../src/store/block.ts";
import type { RecordStatistics } from "../../src/store/stored-statistics.ts";
import { CSV_HEADER, formatCsvLine } from "../../tools/data/formats/csv.ts";
import { encodeContent, type SnapshotContent } from "../../tools/data/snapshot-content.ts";
import { createStatisticsCollector } from "../../tools/data/staging/statistics.ts";

const CAMERAS = ["a33", "c94", "pd1p1", "t628"];
const START = Date.UTC(2019, 4, 17);

/**
 * Creates records of four cameras with the same timestamps, oldest first. The records have all cases of the specification: older records
 * with a null `camera_ok`, records with `False`, and ids out of order inside one timestamp.
 */
export function makeRecords(count: number): TrafficRecord[] {
  return Array.from({ length: count }, (_, index) => makeRecord(index, count));
}

export function formatCsv(records: TrafficRecord[]): string {
  return CSV_HEADER + records.map(formatCsvLine).join("");
}

export function createStatistics(records: readonly TrafficRecord[]): RecordStatistics {
  const collector = createStatisticsCollector();
  records.forEach(collector.add);
  return collector.getStatistics(new Set(records.map(({ camera_pk }) => camera_pk)).size);
}

/** Converts records, newest first, to what a load writes. */
export function toContent(records: readonly TrafficRecord[], sources: string[] = []): SnapshotContent {
  return encodeContent(
    records.length,
    () => encodeBlocks(records),
    createStatistics(records),
    () => sources,
  );
}

/** Encodes records, newest first, as blocks. A load encodes the same blocks in SQL. */
export function encodeBlocks(records: readonly TrafficRecord[]): Block[] {
  return Array.from({ length: getBlockNumber(records.length) }, (_, index) => {
    const blockRecords = records.slice(BLOCK_SIZE * index, BLOCK_SIZE * (index + 1));
    return { number: index + 1, text: formatBlock(blockRecords.map(encodeRecord).join(RECORD_SEPARATOR)) };
  });
}

/** Compares records by the order of the collection: newest first, then by camera_ref, then by id. */
export function compareNewestFirst(one: TrafficRecord, other: TrafficRecord): number {
  const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  return (
    compare(other.timestamp, one.timestamp) || compare(one.camera_ref, other.camera_ref) || one.id - other.id
  );
}

function makeRecord(index: number, total: number): TrafficRecord {
  const camera = CAMERAS.length - 1 - (index % CAMERAS.length);
  const slot = Math.floor(index / CAMERAS.length);
  const isFailing = index >= total / 2 && index % 7 === 0;
  const health = isFailing ? "False" : "True";
  const count = (max: number) => (isFailing ? 0 : (index * 7) % (max + 1));
  return {
    id: slot * CAMERAS.length + ((camera * 3 + slot) % CAMERAS.length) + 1,
    camera_pk: camera + 1,
    camera_ref: CAMERAS[camera] as string,
    timestamp: new Date(START + slot * 1_800_000).toISOString().replace(".000", ""),
    camera_ok: index < total / 2 ? null : health,
    cars: count(30),
    persons: count(12),
    bicycles: count(4),
    trucks: count(3),
    motorcycles: count(1),
    buses: count(2),
    model_name: "tf1",
  };
}
