import { type CsvRow, type CsvTable, recordTable } from "./csv.ts";
import { type Place, type Problem, UnreadableError } from "./problem.ts";
import { reportTable } from "./report.ts";
import type { Row, Source } from "./row.ts";

const TABLES = [recordTable, reportTable];

/** The header of a CSV file. */
export interface CsvHeader {
  /** A problem for each column that is missing, unknown or repeated. If there are any, the rows cannot be read. */
  problems: Problem[];
  /** Whether a row is the header again, as in files that were concatenated. */
  isRepeatedBy(row: CsvRow): boolean;
  readRow(row: CsvRow): Row;
}

/**
 * Chooses between a records file and a report by the first row.
 * @throws UnreadableError if it is the header of neither
 */
export function parseHeader(header: CsvRow, source: Source): CsvHeader {
  const table = findTable(header);
  const { cells } = header;
  return {
    problems: checkHeader(header, table, source),
    // A file that was concatenated may begin with a byte order mark.
    isRepeatedBy: (row) =>
      row.cells.length === cells.length &&
      row.cells.every((cell, index) => (index === 0 ? cell.replace(/^\ufeff/, "") : cell) === cells[index]),
    readRow: createRowReader(cells, table, source),
  };
}

/** Finds the table with which a header has most columns in common. */
function findTable({ cells, line }: CsvRow): CsvTable {
  const names = cells.map(normalise);
  const matches = TABLES.map(({ columns }) => columns.filter((column) => names.includes(column)).length);
  const most = Math.max(...matches);
  const table = most > 0 ? TABLES[matches.indexOf(most)] : undefined;
  if (table) return table;
  const separator = findSeparator(cells);
  if (separator)
    throw new UnreadableError(`is separated by ${separator}; separate the cells by commas`, line);
  throw new UnreadableError("is not the header of a records file or of a report", line, cells.join(","));
}

function normalise(name: string): string {
  return name.trim().toLowerCase();
}

/** What separates the cells, if it is not the comma. */
function findSeparator(cells: string[]): string | undefined {
  const known = new Set(TABLES.flatMap(({ columns }) => columns));
  const separators = { ";": "semicolons", "\t": "tabs", "|": "vertical bars" };
  const separated = Object.entries(separators).find(([separator]) => {
    const names = cells.join(",").split(separator);
    return names.length > 1 && names.some((name) => known.has(normalise(name)));
  });
  return separated?.[1];
}

function checkHeader({ cells, line }: CsvRow, { title, columns }: CsvTable, { file }: Source): Problem[] {
  const toProblems = (fields: readonly string[], message: string) =>
    fields.map((field): Problem => ({ file, line, field, message }));
  const missing = columns.filter((column) => !cells.includes(column));
  const names = [...new Set(cells)];
  const unknown = names.filter((name) => !columns.includes(name));
  const repeated = names.filter((name) => cells.indexOf(name) !== cells.lastIndexOf(name));
  if (unknown.some((name) => missing.includes(normalise(name)))) {
    const message =
      "is a header that must have its column names in lower case, without white space around them";
    return [{ file, line, value: cells.join(","), message }];
  }
  return [
    ...toProblems(missing, "is missing from the header"),
    ...toProblems(unknown, `is not a column of ${title}`),
    ...toProblems(repeated, "appears more than once in the header"),
  ];
}

function createRowReader(columns: string[], table: CsvTable, { file, modelName }: Source) {
  return ({ cells, line }: CsvRow): Row => {
    const place: Place = { file, line };
    if (cells.length === columns.length) return table.readRow(nameCells(columns, cells), place, modelName);
    return { problems: [{ ...place, message: `has ${cells.length} cells instead of ${columns.length}` }] };
  };
}

function nameCells(columns: string[], cells: string[]): Record<string, string> {
  const named: Record<string, string> = {};
  for (let i = 0; i < columns.length; i++) named[columns[i] ?? ""] = cells[i] ?? "";
  return named;
}
