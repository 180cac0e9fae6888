import { CsvError, parse } from "csv-parse/sync";
import { TrafficRecord } from "../../../src/records/schema.ts";
import { countOccurrences, MAX_LINE_LENGTH, type TextChunk } from "./input-file.ts";
import { UnreadableError } from "./problem.ts";

// csv-parse splits only rows with quotes: as a stream, it takes 1.7 s for a million rows, and `splitRows` 0.4 s.

/** A row of a CSV file, which may span several lines. */
export interface CsvRow {
  cells: string[];
  line: number;
}

/**
 * Reads the rows of a CSV file (RFC 4180), including the header, without empty lines and rows of empty cells.
 * @param onOpenEnd Called with the line of the last row if it does not end with LF
 * @throws UnreadableError at a misplaced quote, because the cells after it cannot be separated
 */
export async function* readCsvRows(
  chunks: AsyncIterable<TextChunk>,
  onOpenEnd: (line: number) => void = () => {},
): AsyncGenerator<CsvRow[]> {
  for await (const chunk of joinRows(chunks)) {
    const { rows, error } = chunk.text.includes('"') ? parseRows(chunk) : { rows: splitRows(chunk) };
    const cutRow = chunk.complete ? undefined : rows.pop();
    // Spreadsheets write rows of empty cells.
    yield rows.filter(({ cells }) => cells.some((cell) => cell !== ""));
    if (error) throw error;
    if (cutRow) throw new UnreadableError("is too long for a row that ends with LF or CRLF", cutRow.line);
    const last = rows.at(-1);
    if (last && !chunk.text.endsWith("\n")) onOpenEnd(last.line);
  }
}

/** Removes what files contain beside their rows: byte order marks of concatenated files, and the CR of a CRLF that was cut. */
function cleanText(text: string): string {
  const rows = text.includes("\ufeff") ? text.replaceAll(/(?<=^|\n)\ufeff/g, "") : text;
  return rows.endsWith("\r") ? rows.slice(0, -1) : rows;
}

/** Joins chunks until they end where a row ends. A row is incomplete while its number of quotes is odd. */
async function* joinRows(chunks: AsyncIterable<TextChunk>): AsyncGenerator<TextChunk> {
  let open: TextChunk | undefined;
  for await (const next of chunks) {
    const before = open ?? { text: "", line: next.line };
    const chunk = { ...next, text: before.text + cleanText(next.text), line: before.line };
    const complete = chunk.complete && countOccurrences(chunk.text, '"') % 2 === 0;
    open = complete || chunk.text.length > 2 * MAX_LINE_LENGTH ? undefined : chunk;
    if (!open) yield { ...chunk, complete };
  }
  if (open) yield { ...open, complete: true };
}

/** Splits rows without quotes: a row is a line, and commas separate the cells. */
function splitRows({ text, line }: TextChunk): CsvRow[] {
  const rows: CsvRow[] = [];
  for (let start = 0; start < text.length; line++) {
    const lineFeed = text.indexOf("\n", start);
    const end = lineFeed < 0 ? text.length : lineFeed;
    const isCrlf = lineFeed >= 0 && text[lineFeed - 1] === "\r";
    rows.push({ cells: text.slice(start, isCrlf ? end - 1 : end).split(","), line });
    start = end + 1;
  }
  return rows;
}

/** Returns the rows before the first error, and the error. */
function parseRows({ text, line }: TextChunk): { rows: CsvRow[]; error?: UnreadableError } {
  const rows: CsvRow[] = [];
  let next = line;
  const collectRow = (cells: string[]) => {
    rows.push({ cells, line: next });
    next += 1 + countOccurrences(cells.join(), "\n");
    // After an error, the parser returns no rows. So the rows are collected here, and the parser drops them.
    return null;
  };
  try {
    parse(text, { record_delimiter: ["\r\n", "\n"], relax_column_count: true, on_record: collectRow });
    return { rows };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = "has a quote that is not closed, or inside a cell; commas separate cells";
    return { rows, error: new UnreadableError(message, next) };
  }
}

const FIELD_NAMES = TrafficRecord.keyof().options;

export const CSV_HEADER = `${FIELD_NAMES.join(",")}\n`;

/** Formats a record as a line, with its line break. Null is an empty cell. */
export function formatCsvLine(record: TrafficRecord): string {
  return `${FIELD_NAMES.map((field) => formatCell(record[field])).join(",")}\n`;
}

/** Quotes a cell that contains a quote or a separator, including the separators of spreadsheets in other locales. */
function formatCell(value: string | number | null): string | number | null {
  return typeof value === "string" && /[",;\t]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
