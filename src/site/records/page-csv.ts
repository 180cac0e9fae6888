import type { TrafficRecord } from "../../records/record.ts";

/** Characters that need quotes (RFC 4180, 2). */
const SPECIAL = /[",\r\n]/;

/**
 * The records of a page as a file that a browser can save without another request: CSV (RFC 4180) in a data URL (RFC
 * 2397). A load accepts it, too.
 */
export function writeCsvUrl(records: TrafficRecord[]): string {
  // The mock may have removed a field of one record, or added one.
  const fields = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const lines = [fields, ...records.map((record) => fields.map((field) => Reflect.get(record, field)))];
  const text = lines.map((values) => `${values.map(writeValue).join(",")}\r\n`).join("");
  return `data:text/csv;charset=utf-8,${encodeURIComponent(text)}`;
}

function writeValue(value: string | number | null | undefined): string {
  const text = String(value ?? "");
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
