import type { TrafficRecord } from "../../../src/records/schema.ts";
import { CSV_HEADER, formatCsvLine } from "./csv.ts";
import { readCsv } from "./csv-schemas.ts";
import { decodeText, type InputFile, prepend, readBytes, type TextChunk } from "./input-file.ts";
import { readJson } from "./json.ts";
import { UnreadableError } from "./problem.ts";
import type { InputRow } from "./validation.ts";

/** The formats of an export: the names of its files, a header, and then one line per record. */
export const OUTPUT_FORMATS = {
  csv: { names: /\.csv(\.gz)?$/i, header: CSV_HEADER, formatLine: formatCsvLine },
  jsonl: {
    names: /\.(json|jsonl|ndjson)(\.gz)?$/i,
    header: "",
    formatLine: (record: TrafficRecord) => `${JSON.stringify(record)}\n`,
  },
} as const;

export type FormatName = keyof typeof OUTPUT_FORMATS;

const NO_RECORDS = "contains no records";

/** Reads a file in batches of rows. Its content determines the format. If it cannot be read to its end, the last row is a problem. */
export async function* readInputFile(input: InputFile): AsyncGenerator<InputRow[]> {
  try {
    yield* readRows(decodeText(readBytes(input)), input);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const { message, line } = error;
    yield [{ problems: [{ file: input.file, line, message }] }];
  }
}

/** Chooses between JSON and CSV by the first character that is not white space or a byte order mark. */
async function* readRows(chunks: AsyncGenerator<TextChunk>, input: InputFile): AsyncGenerator<InputRow[]> {
  for await (const chunk of chunks) {
    const start = chunk.text.trimStart();
    if (start === "") continue;
    const isJson = start.startsWith("{") || start.startsWith("[");
    const read = isJson ? readJson : readCsv;
    const text = chunk.text.replace(/^\ufeff/, "");
    const batches = read(prepend({ ...chunk, text }, chunks), input);
    // The JSON of a request can be an empty collection.
    const canBeEmpty = isJson && input.body !== undefined;
    return yield* canBeEmpty ? batches : requireRows(batches);
  }
  throw new UnreadableError(NO_RECORDS);
}

async function* requireRows(batches: AsyncGenerator<InputRow[]>): AsyncGenerator<InputRow[]> {
  let isEmpty = true;
  for await (const rows of batches) {
    isEmpty &&= rows.length === 0;
    yield rows;
  }
  if (isEmpty) throw new UnreadableError(NO_RECORDS);
}
