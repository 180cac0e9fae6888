import { TrafficRecord } from "../../src/records/record.ts";

const FIELDS = TrafficRecord.keyof().options;

/** The first line of a CSV file of records: the field names in the specification's order. */
export const CSV_HEADER = `${FIELDS.join(",")}\n`;

/** A record as a line of CSV with its line end. Null is an empty cell; no value needs quotes. */
export function csvLine(record: TrafficRecord): string {
  return `${FIELDS.map((field) => record[field]).join(",")}\n`;
}
