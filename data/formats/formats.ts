import type { Readable } from "node:stream";
import type { TrafficRecord } from "../../src/records/record.ts";
import { type CsvRow, type CsvTable, readCsvRows, recordTable, writeCsv } from "./csv.ts";
import { prepend, readBytes, readText, type TextChunk } from "./input-file.ts";
import { readJson, writeJsonLines } from "./json.ts";
import { type Place, type Problem, UnreadableError } from "./problem.ts";
import { reportTable, writeReport } from "./report.ts";
import type { Row, Source } from "./row.ts";

/** Writes records in one format. Yields the text in small pieces. */
export type Writer = (
  records: Iterable<TrafficRecord> | AsyncIterable<TrafficRecord>,
) => AsyncIterable<string>;

/** Formats that keep every field, for records in any order. */
export const WRITERS = { csv: writeCsv, jsonl: writeJsonLines } as const satisfies Record<string, Writer>;

export type FormatName = keyof typeof WRITERS;

/** Formats that lose some fields. */
export const LOSSY_WRITERS = { report: writeReport } as const satisfies Record<string, Writer>;

const CSV_TABLES = [recordTable, reportTable];

/**
 * Reads the records or the report in a file. The format is recognised by the content. Never throws for what is wrong with
 * the file: if it cannot be read to its end, the last row is a problem.
 */
export async function* readSource(source: Source, stdin?: Readable): AsyncGenerator<Row> {
  let empty = true;
  try {
    for await (const row of readRows(readText(readBytes(source.file, stdin, source.onRead)), source)) {
      empty = false;
      yield row;
    }
    if (empty) throw new UnreadableError("contains no records");
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const { message, line, value } = error;
    yield { problems: [{ file: source.file, line, value, message }] };
  }
}

/** Chooses between JSON and CSV by the first character that is not white space. */
async function* readRows(chunks: AsyncGenerator<TextChunk>, source: Source): AsyncGenerator<Row> {
  for await (const chunk of chunks) {
    const [first] = chunk.text.trimStart();
    if (first === undefined) continue;
    const read = first === "{" || first === "[" ? readJson : readCsv;
    return yield* read(prepend(chunk, chunks), source);
  }
}

/** Chooses between records and a report by the header. */
async function* readCsv(chunks: AsyncIterable<TextChunk>, source: Source): AsyncGenerator<Row> {
  let readRow: ((row: CsvRow) => Row) | undefined;
  for await (const row of readCsvRows(chunks)) {
    if (readRow) {
      yield readRow(row);
      continue;
    }
    const table = findTable(row);
    const problems = checkHeader(row, table, source);
    if (problems.length > 0) return yield { problems };
    readRow = createRowReader(row.cells, table, source);
  }
}

/**
 * Finds the table with which a header has most columns in common.
 * @throws UnreadableError if it has none in common with any
 */
function findTable({ cells, line }: CsvRow): CsvTable {
  const matches = CSV_TABLES.map(({ columns }) => columns.filter((column) => cells.includes(column)).length);
  const most = Math.max(...matches);
  const table = most > 0 ? CSV_TABLES[matches.indexOf(most)] : undefined;
  if (table) return table;
  throw new UnreadableError("is not the header of a records file or of a report", line, cells.join(","));
}

/** Returns a problem for each column that is missing, unknown or repeated. */
function checkHeader({ cells, line }: CsvRow, { title, columns }: CsvTable, { file }: Source): Problem[] {
  const toProblems = (fields: readonly string[], message: string) =>
    fields.map((field): Problem => ({ file, line, field, message }));
  const missing = columns.filter((column) => !cells.includes(column));
  const names = [...new Set(cells)];
  const unknown = names.filter((name) => !columns.includes(name));
  const repeated = names.filter((name) => cells.indexOf(name) !== cells.lastIndexOf(name));
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
