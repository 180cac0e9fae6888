import type { TrafficRecord } from "../../src/records/record.ts";
import { formatCount, formatValue } from "../formatting.ts";
import type { CsvRow } from "./csv.ts";
import { type Place, type Problem, UnreadableError } from "./problem.ts";
import { checkObservation, REPORT_FIELDS } from "./report.ts";
import type { Row, Source } from "./row.ts";
import { checkRecord, type Field, RECORD_FIELDS } from "./validation.ts";

/** A kind of CSV file. */
interface CsvTable {
  /** Completes the sentence "... is not the header of ...". */
  title: string;
  /** The columns, in any order. */
  fields: ReadonlyMap<string, Field>;
  check(values: unknown, place: Place): Row;
}

/** Records with a column for each field. An empty `camera_ok` is null. */
const RECORDS: CsvTable = { title: "a records file", fields: RECORD_FIELDS, check: checkRecord };

/** The detection engine's daily report: an image per row. */
const REPORT: CsvTable = { title: "a report", fields: REPORT_FIELDS, check: checkObservation };

/**
 * Chooses between a records file and a report by the header.
 * @returns a function that reads a row; undefined for the header again, as in files that were concatenated
 * @throws UnreadableError if it is the header of neither
 */
export function createRowReader(header: CsvRow, source: Source): (row: CsvRow) => Row | undefined {
  const table = requireTable(header);
  const { cells } = header;
  const readRow = createCellReader(cells, table, source);
  // A file that was concatenated may begin with a byte order mark.
  const isRepeated = (row: CsvRow) =>
    row.cells[1] === cells[1] && row.cells.join().replace(/^\ufeff/, "") === cells.join();
  return (row) => (isRepeated(row) ? undefined : readRow(row));
}

/** @throws UnreadableError that compares the header with the table whose columns it names most */
function requireTable({ cells, line }: CsvRow): CsvTable {
  const text = cells.join(",").toLowerCase();
  const countNames = ({ fields }: CsvTable) =>
    [...fields.keys()].filter((name) => text.includes(name)).length;
  const table = countNames(RECORDS) >= countNames(REPORT) ? RECORDS : REPORT;
  const { title, fields } = table;
  const missing = [...fields.keys()].filter((name) => !cells.includes(name));
  const surplus = cells.filter((name, index) => !fields.has(name) || cells.indexOf(name) < index);
  if (missing.length === 0 && surplus.length === 0) return table;
  const differences = [
    ...(missing.length > 0 ? [`${missing.join(", ")} missing`] : []),
    ...(surplus.length > 0 ? [`${formatValue(surplus.join(","))} unknown or repeated`] : []),
  ];
  const message = `is not the header of ${title}, with commas between names in lower case: ${differences.join("; ")}`;
  throw new UnreadableError(message, line);
}

function createCellReader(names: string[], table: CsvTable, { file, modelName }: Source) {
  const columns = names.map((name) => ({ name, field: table.fields.get(name) }));
  return ({ cells, line }: CsvRow): Row => {
    if (cells.length !== columns.length) {
      const message = `has ${formatCount(cells.length, "cell")} instead of ${columns.length}`;
      return { problems: [{ file, line, message }] };
    }
    const values: Record<string, unknown> = {};
    let isUsual = table === RECORDS;
    for (let i = 0; i < columns.length; i++) {
      const { name, field } = columns[i] ?? { name: "" };
      const cell = cells[i] ?? "";
      isUsual &&= field?.usual.test(cell) ?? false;
      values[name] = parseCell(cell, field);
    }
    if (isUsual) return { file, line, record: values as TrafficRecord };
    if (modelName) values.model_name = modelName;
    const row = table.check(values, { file, line });
    return "problems" in row ? { problems: showCells(row.problems, names, cells) } : row;
  };
}

/** A cell that is no number stays text, which the schema refuses if it expects a number. */
function parseCell(cell: string, field?: Field): string | number | null {
  if (field?.nullable && cell === "") return null;
  return field?.wholeNumber && /^-?\d+$/.test(cell) ? Number(cell) : cell;
}

/** Shows the cells as they are in the file. What is null elsewhere is an empty cell in CSV. */
function showCells(problems: Problem[], names: string[], cells: string[]): Problem[] {
  return problems.map((problem) => ({
    ...problem,
    value: cells[names.indexOf(problem.field ?? "")],
    message: problem.message.replace(/or null$/, "or empty"),
  }));
}
