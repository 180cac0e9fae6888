import { TrafficRecord } from "../../src/records/record.ts";

const FIELDS = TrafficRecord.keyof().options;

/** The first line of a CSV file of records: the field names in the specification's order. */
export const CSV_HEADER = `${FIELDS.join(",")}\n`;

/** A record as a line of CSV with its line end (RFC 4180). Null is an empty cell. */
export function csvLine(record: TrafficRecord): string {
  return csvCells(FIELDS.map((field) => record[field]));
}

/** Cells as a line of CSV with its line end. */
export function csvCells(cells: (string | number | null)[]): string {
  return `${cells.map(csvCell).join(",")}\n`;
}

/** Quoted only where it must be, so that a person can read the file. */
function csvCell(value: string | number | null): string | number | null {
  return typeof value === "string" && /[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
