import { type CsvRow, readCsv } from "./csv.ts";
import { checkHeader, recogniseTable } from "./header.ts";
import { Unreadable } from "./problem.ts";
import { recordTable } from "./record-csv.ts";
import { reportTable } from "./report.ts";
import type { Problem, Reader, Row, Source } from "./source.ts";

const TABLES = [recordTable, reportTable];

/** Reads CSV: records or a report, whichever the header tells. */
export const readTable: Reader = async function* (blocks, source) {
  let readRow: ((row: CsvRow) => Row) | undefined;
  for await (const row of readCsv(blocks)) {
    if (readRow) {
      yield readRow(row);
      continue;
    }
    const opened = openTable(row, source);
    if (typeof opened === "object") return yield opened;
    readRow = opened;
  }
};

function openTable(
  header: CsvRow,
  { file, modelName }: Source,
): ((row: CsvRow) => Row) | { problems: Problem[] } {
  const columns = header.cells;
  const table = recogniseTable(columns, TABLES);
  if (!table) {
    throw new Unreadable("is not the header of records or of a report", header.line, columns.join(","));
  }
  const problems = checkHeader(columns, table, { file, line: header.line });
  if (problems.length > 0) return { problems };
  return ({ cells, line }) => {
    const place = { file, line };
    if (cells.length === columns.length) return table.readRow(nameCells(columns, cells), place, modelName);
    return { problems: [{ ...place, message: `has ${cells.length} cells instead of ${columns.length}` }] };
  };
}

function nameCells(columns: string[], cells: string[]): Record<string, string> {
  const named: Record<string, string> = {};
  for (let i = 0; i < columns.length; i++) named[columns[i] ?? ""] = cells[i] ?? "";
  return named;
}
