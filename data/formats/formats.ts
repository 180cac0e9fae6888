import type { Readable } from "node:stream";
import { readCsvRows, writeCsv } from "./csv.ts";
import { type CsvReader, parseHeader } from "./csv-tables.ts";
import { prepend, readBytes, readText, type TextChunk } from "./input-file.ts";
import { readJson, writeJsonLines } from "./json.ts";
import { UnreadableError } from "./problem.ts";
import type { Row, Source } from "./row.ts";

/** Writers for records in any order, which yield the text in small pieces. */
export const WRITERS = { csv: writeCsv, jsonl: writeJsonLines } as const;

export type FormatName = keyof typeof WRITERS;

/**
 * Reads the records or the report in a file, some rows at a time. The format is recognised by the content. Never throws for
 * what is wrong with the file: if it cannot be read to its end, the last row is a problem.
 */
export async function* readSource(source: Source, stdin?: Readable): AsyncGenerator<Row[]> {
  let isEmpty = true;
  try {
    for await (const rows of readRows(readText(readBytes(source.file, stdin, source.onRead)), source)) {
      isEmpty &&= rows.length === 0;
      yield rows;
    }
    if (isEmpty) throw new UnreadableError("contains no records");
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const { message, line, value } = error;
    yield [{ problems: [{ file: source.file, line, value, message }] }];
  }
}

/** Chooses between JSON and CSV by the first character that is not white space. */
async function* readRows(chunks: AsyncGenerator<TextChunk>, source: Source): AsyncGenerator<Row[]> {
  for await (const chunk of chunks) {
    const [first] = chunk.text.trimStart();
    if (first === undefined) continue;
    if (first === "<") throw new UnreadableError("is HTML or XML, not records", chunk.line);
    const read = first === "{" || first === "[" ? readJson : readCsv;
    return yield* read(prepend(chunk, chunks), source);
  }
}

/** Chooses between records and a report by the header. */
async function* readCsv(chunks: AsyncGenerator<TextChunk>, source: Source): AsyncGenerator<Row[]> {
  let reader: CsvReader | undefined;
  for await (const rows of readCsvRows(refuseReturns(chunks))) {
    const first = reader ? undefined : rows.shift();
    if (first) reader = parseHeader(first, source);
    if (!reader) continue;
    if (reader.problems.length > 0) return yield [{ problems: reader.problems }];
    yield rows.map(reader.readRow).filter((row) => row !== undefined);
  }
}

/** @throws UnreadableError if the first line of a text ends with CR alone, since the whole file would be one line */
async function* refuseReturns(chunks: AsyncGenerator<TextChunk>): AsyncGenerator<TextChunk> {
  for await (const chunk of chunks) {
    const end = chunk.text.search(/[\r\n]/);
    if (end >= 0 && /^\r[^\n]/.test(chunk.text.slice(end, end + 2)))
      throw new UnreadableError("has CR line ends; save it with LF or CRLF line ends", chunk.line);
    return yield* prepend(chunk, chunks);
  }
}
