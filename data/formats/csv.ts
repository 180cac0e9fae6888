import { CsvError, type Info, parse } from "csv-parse/sync";
import { TrafficRecord } from "../../src/records/record.ts";
import { countOccurrences, MAX_LINE_LENGTH, type TextChunk } from "./input-file.ts";
import { type Place, type Problem, UnreadableError } from "./problem.ts";
import type { Row, Source } from "./row.ts";
import { recordValidator, type Validator } from "./validation.ts";

/** A row of a CSV file, which may span several lines. */
export interface CsvRow {
  cells: string[];
  /** The line in which it starts. */
  line: number;
}

const QUOTE_ERRORS: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: "starts a quoted cell that is never closed",
  CSV_INVALID_CLOSING_QUOTE: "has text between a closing quote and the end of the cell",
  INVALID_OPENING_QUOTE: "has a quote inside an unquoted cell",
};

/**
 * Reads the rows of a CSV file (RFC 4180), including the header, without empty lines.
 * @throws UnreadableError at a misplaced quote, because the cells after it cannot be separated
 */
export async function* readCsvRows(chunks: AsyncIterable<TextChunk>): AsyncGenerator<CsvRow> {
  for await (const chunk of joinRows(chunks)) {
    const { rows, error } = parseRows(chunk);
    if (!error && chunk.complete) yield* rows;
    else {
      const last = error ?? new UnreadableError("is too long for a CSV row", rows.pop()?.line);
      yield* rows;
      throw last;
    }
  }
}

/** Makes chunks end where rows end. A row is incomplete while its number of quotes is odd. */
async function* joinRows(chunks: AsyncIterable<TextChunk>): AsyncGenerator<TextChunk> {
  let open: TextChunk | undefined;
  for await (const next of chunks) {
    const chunk: TextChunk = open ? { ...next, text: open.text + next.text, line: open.line } : next;
    const complete = chunk.complete && countOccurrences(chunk.text, '"') % 2 === 0;
    open = complete || chunk.text.length > 2 * MAX_LINE_LENGTH ? undefined : chunk;
    if (!open) yield { ...chunk, complete };
  }
  if (open) yield { ...open, complete: true };
}

const OPTIONS = { record_delimiter: ["\r\n", "\n"], relax_column_count: true, skip_empty_lines: true };

function parseRows({ text, line }: TextChunk): { rows: CsvRow[]; error?: UnreadableError } {
  const rows: CsvRow[] = [];
  const lines = createLineCounter(line);
  const keepRow = (cells: string[], info: Info) => {
    rows.push({ cells, line: lines.next(cells, info) });
    // Collected here because the parser would lose all rows with the first error.
    return null;
  };
  try {
    parse(text, { ...OPTIONS, on_record: keepRow });
    return { rows };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = QUOTE_ERRORS[error.code] ?? `is not CSV: ${error.message}`;
    return { rows, error: new UnreadableError(message, lines.failed(Number(error.empty_lines))) };
  }
}

/**
 * Computes the line in which each row starts. The parser reports the line in which a row ends, and counts each `\r` and
 * each `\n` inside a cell as a line, although only `\n` ends one.
 */
function createLineCounter(firstLine: number) {
  let end = firstLine - 1;
  let surplus = 0;
  let emptyLines = 0;
  return {
    /** The line in which the row starts that was just parsed. */
    next(cells: string[], info: Info): number {
      const expected = end + 1;
      end = firstLine - 1 + info.lines - surplus;
      emptyLines = info.empty_lines;
      if (end === expected) return end;
      const breaks = cells.join("").match(/[\r\n]/g) ?? [];
      const start = end - breaks.length;
      const returns = breaks.filter((mark) => mark === "\r").length;
      surplus += returns;
      end -= returns;
      return start;
    },
    /** The line in which the row starts that the parser failed in. */
    failed: (emptyLinesNow: number) => end + 1 + emptyLinesNow - emptyLines,
  };
}

/** A kind of CSV file. */
export interface CsvTable {
  /** Completes the sentence "... is not a column of ...". */
  title: string;
  /** In any order. */
  columns: readonly string[];
  readRow(cells: Record<string, string>, place: Place, modelName: Source["modelName"]): Row;
}

const FIELDS = TrafficRecord.keyof().options;

/** Records with a column for each field. An empty `camera_ok` is null. */
export const recordTable: CsvTable = {
  title: "a records file",
  columns: FIELDS,
  readRow(cells, place, modelName) {
    const checked = validateCells(recordValidator, cells, place, modelName);
    return "data" in checked ? { ...place, record: checked.data } : checked;
  },
};

/** Converts the cells of a row to what the schema expects, and validates them. */
export function validateCells<T>(
  { fields, validate }: Validator<T>,
  cells: Record<string, string>,
  place: Place,
  modelName: Source["modelName"],
): { data: T } | { problems: Problem[] } {
  const values: Record<string, unknown> = {};
  for (const [name, { wholeNumber, nullable }] of fields) {
    const cell = cells[name];
    if (nullable && cell === "") values[name] = null;
    else if (wholeNumber && cell !== undefined && /^-?\d+$/.test(cell)) values[name] = Number(cell);
    // Any other cell stays text, which the schema rejects if it expects something else.
    else values[name] = cell;
  }
  if (modelName) values.model_name = modelName;
  return validate(values, place, cells);
}

/** The header of a records file: the field names in the specification's order. */
export const CSV_HEADER = `${FIELDS.join(",")}\n`;

export async function* writeCsv(
  records: Iterable<TrafficRecord> | AsyncIterable<TrafficRecord>,
): AsyncGenerator<string> {
  yield CSV_HEADER;
  for await (const record of records) yield csvLine(record);
}

/** A record as a line of CSV (RFC 4180), with its line break. Null is an empty cell. */
export function csvLine(record: TrafficRecord): string {
  return formatCells(FIELDS.map((field) => record[field]));
}

/** Cells as a line of CSV, with its line break. */
export function formatCells(cells: (string | number | null)[]): string {
  return `${cells.map(formatCell).join(",")}\n`;
}

/** Quoted only where necessary, so that the file is easy to read. */
function formatCell(value: string | number | null): string | number | null {
  return typeof value === "string" && /[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
