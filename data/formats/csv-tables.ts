import type { TrafficRecord } from "../../src/records/record.ts";
import { formatCount } from "../formatting.ts";
import type { CsvRow } from "./csv.ts";
import { type Problem, UnreadableError } from "./problem.ts";
import { isOtherReport, REPORT_FIELDS, reportValidator, toObservation } from "./report.ts";
import type { Row, Source } from "./row.ts";
import { type Field, recordValidator } from "./validation.ts";

/** A kind of CSV file. */
interface CsvTable {
  /** Completes the sentence "... is not a column of ...". */
  title: string;
  /** The columns, in any order. */
  fields: ReadonlyMap<string, Field>;
  /** @param original the cells, for the problems */
  validate(values: object, place: { file: string; line: number }, original: object): Row;
}

/** Records with a column for each field. An empty `camera_ok` is null. */
const RECORDS: CsvTable = {
  title: "a records file",
  fields: recordValidator.fields,
  validate(values, place, original) {
    const checked = recordValidator.validate(values, place, original);
    return "data" in checked ? { ...place, record: checked.data } : checked;
  },
};

/** The detection engine's daily report: one observation per row. */
const REPORT: CsvTable = {
  title: "a report",
  fields: REPORT_FIELDS,
  validate(values, place, original) {
    const checked = reportValidator.validate(values, place, original);
    return "data" in checked ? { ...place, observation: toObservation(checked.data) } : checked;
  },
};

/** What the header of a CSV file says about it. */
export interface CsvReader {
  /** A problem for each column that is missing, unknown or repeated. If there are any, the rows cannot be read. */
  problems: Problem[];
  /** Undefined for a row that is the header again, as in files that were concatenated. */
  readRow(row: CsvRow): Row | undefined;
}

/**
 * Chooses between a records file and a report by the first row.
 * @throws UnreadableError if it is the header of neither
 */
export function parseHeader(header: CsvRow, source: Source): CsvReader {
  const table = findTable(header);
  const { cells } = header;
  const readRow = createRowReader(cells, table, source);
  return {
    problems: checkHeader(header, table, source),
    readRow: (row) => (isRepeated(cells, row.cells) ? undefined : readRow(row)),
  };
}

/** A file that was concatenated may begin with a byte order mark. */
function isRepeated(header: string[], cells: string[]): boolean {
  if (cells[1] !== header[1] || cells.length !== header.length) return false;
  return cells.every((cell, index) => (index === 0 ? cell.replace(/^\ufeff/, "") : cell) === header[index]);
}

/** Finds the table with which a header has most columns in common. */
function findTable({ cells, line }: CsvRow): CsvTable {
  const names = new Set(cells.map(normalise));
  const [records, report] = [RECORDS, REPORT].map(
    ({ fields }) => [...fields.keys()].filter((name) => names.has(name)).length,
  ) as [number, number];
  if (records > 0 || report > 0) return records >= report ? RECORDS : REPORT;
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
  const separators = { ";": "semicolons", "\t": "tabs", "|": "vertical bars" };
  const separated = Object.entries(separators).find(([separator]) => {
    const names = cells.join(",").split(separator).map(normalise);
    return names.length > 1 && names.some((name) => RECORDS.fields.has(name) || REPORT_FIELDS.has(name));
  });
  return separated?.[1];
}

/** The names that pandas and R give to the column of row numbers. */
const ROW_NUMBERS = /^(|Unnamed: 0|X)$/;

function checkHeader({ cells, line }: CsvRow, { title, fields }: CsvTable, { file }: Source): Problem[] {
  const toProblems = (names: string[], message: string) =>
    names.map((field): Problem => ({ file, line, field, message }));
  const missing = [...fields.keys()].filter((column) => !cells.includes(column));
  const names = [...new Set(cells)];
  const unknown = names.filter((name) => !fields.has(name));
  if (unknown.some((name) => missing.includes(normalise(name)))) {
    const message =
      "is a header that must have its column names in lower case, without white space around them";
    return [{ file, line, value: cells.join(","), message }];
  }
  if (isOtherReport(missing, unknown)) {
    const message = `looks like a report of another model, such as YOLO, whose classes differ. Only reports with these columns can be loaded: ${[...REPORT_FIELDS.keys()].join(", ")}`;
    return [{ file, line, message }];
  }
  const isRowNumber = (name: string) => ROW_NUMBERS.test(name) && cells[0] === name;
  return [
    ...toProblems(missing, "is missing from the header"),
    ...toProblems(
      unknown.filter((name) => !isRowNumber(name)),
      `is not a column of ${title}`,
    ),
    ...toProblems(
      unknown.filter(isRowNumber),
      "is a column of row numbers; write the file with index=False (pandas) or row.names = FALSE (R)",
    ),
    ...toProblems(
      names.filter((name) => cells.indexOf(name) !== cells.lastIndexOf(name)),
      "appears more than once in the header",
    ),
  ];
}

function createRowReader(names: string[], table: CsvTable, { file, modelName }: Source) {
  const columns = names.map((name) => ({ name, field: table.fields.get(name) }));
  return ({ cells, line }: CsvRow): Row => {
    const place = { file, line };
    if (cells.length !== columns.length) {
      const message = `has ${formatCount(cells.length, "cell")} instead of ${columns.length}`;
      return { problems: [{ ...place, message }] };
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
    const row = table.validate(values, place, values);
    return "problems" in row ? describeProblems(row.problems, names, cells) : row;
  };
}

/** A cell that is no number stays text, which the schema refuses if it expects a number. */
function parseCell(cell: string, field?: Field): string | number | null {
  if (field?.nullable && cell === "") return null;
  return field?.wholeNumber && /^-?\d+$/.test(cell) ? Number(cell) : cell;
}

/** Shows the cells as they are in the file. What is null elsewhere is an empty cell in CSV. */
function describeProblems(problems: Problem[], names: string[], cells: string[]): Row {
  return {
    problems: problems.map((problem) => ({
      ...problem,
      value: cells[names.indexOf(problem.field ?? "")],
      message: problem.message.replace(/or null$/, "or empty"),
    })),
  };
}
