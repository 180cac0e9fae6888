import type { TrafficRecord } from "../../src/records/record.ts";
import type { Place, Problem, Row } from "./source.ts";

/** A kind of CSV file: its columns, in any order, and what a row of it says. */
export interface Table {
  /** Completes the sentence "… is not a column of …". */
  title: string;
  columns: readonly string[];
  readRow(cells: Record<string, string>, place: Place, modelName?: TrafficRecord["model_name"]): Row;
}

/**
 * Takes the header of a CSV file and the tables there are, gives the one it shares most columns with;
 * undefined if it shares none with any.
 */
export function recogniseTable(header: string[], tables: readonly Table[]): Table | undefined {
  const shares = tables.map(({ columns }) => columns.filter((column) => header.includes(column)).length);
  const most = Math.max(...shares);
  return most > 0 ? tables[shares.indexOf(most)] : undefined;
}

/** Takes a header and its table, gives a problem for each column that is missing, unknown or repeated. */
export function checkHeader(header: string[], table: Table, place: Place): Problem[] {
  const wrong = (fields: readonly string[], message: string) =>
    fields.map((field): Problem => ({ ...place, field, message }));
  const missing = table.columns.filter((column) => !header.includes(column));
  const named = new Set(header);
  const unknown = [...named].filter((column) => !table.columns.includes(column));
  const repeated = [...named].filter((column) => header.indexOf(column) !== header.lastIndexOf(column));
  return [
    ...wrong(missing, "is missing in the header"),
    ...wrong(unknown, `is not a column of ${table.title}`),
    ...wrong(repeated, "stands more than once in the header"),
  ];
}
