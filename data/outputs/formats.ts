import type { TrafficRecord } from "../../src/records/record.ts";
import { CSV_HEADER, csvLine } from "./csv.ts";
import { writeReport } from "./report.ts";

type Records = Iterable<TrafficRecord> | AsyncIterable<TrafficRecord>;

/** Writes records in one format: gives the text, a record or so at a time. */
export type Format = (records: Records) => AsyncIterable<string>;

async function* writeCsv(records: Records): AsyncGenerator<string> {
  yield CSV_HEADER;
  for await (const record of records) yield csvLine(record);
}

async function* writeJsonLines(records: Records): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}

/** The formats that need nothing but the records, in any order. */
export const FORMATS = { csv: writeCsv, jsonl: writeJsonLines } as const satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;

/** Formats that lose some of what a record says. */
export const LOSSY_FORMATS = { report: writeReport } as const satisfies Record<string, Format>;
