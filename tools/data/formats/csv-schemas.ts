import * as z from "zod";
import { TrafficRecord } from "../../../src/records/schema.ts";
import type { Observation } from "../../../src/store/block.ts";
import { formatCount, formatValue } from "../../messages.ts";
import { type CsvRow, readCsvRows } from "./csv.ts";
import type { InputFile, TextChunk } from "./input-file.ts";
import { CONVERSION_HINT, type InputPosition, UnreadableError } from "./problem.ts";
import { type InputRow, listProblems, RECORD_SCHEMA, type ValidRow } from "./validation.ts";

/** Converts a cell to a value for the schema. An invalid cell stays as it is, so that the schema rejects it. */
type CellParser = (cell: string) => unknown;

/** Parses `3`, and `3.0`, which pandas writes in a column that once had a gap. */
const parseNumber: CellParser = (cell) => (/^-?\d+(\.0+)?$/.test(cell) ? Number(cell) : cell);

/** Cells of `camera_ok`. Spreadsheets and other tools write `True` as `TRUE` or `true`. */
const HEALTHS = new Map(
  Object.entries({ "": null, TRUE: "True", true: "True", FALSE: "False", false: "False" }),
);

/** A kind of CSV file. The header of a file determines its schema. */
type CsvSchema = ReturnType<typeof createCsvSchema>;

/**
 * @param title Completes the message "... is not the header of ..."
 * @param parsers The parsers of columns that are not numbers
 */
function createCsvSchema<Columns extends z.ZodObject>(
  title: string,
  columns: Columns,
  parsers: Record<string, CellParser>,
  convert: (values: z.infer<Columns>, position: InputPosition) => ValidRow,
) {
  const names = Object.keys(columns.shape);
  return {
    title,
    names,
    /** @param cells The cells by the names of their columns */
    convertRow(cells: Record<string, string>, position: InputPosition): InputRow {
      const values: Record<string, unknown> = {};
      // The header has every name.
      for (const name of names) values[name] = (parsers[name] ?? parseNumber)(cells[name] ?? "");
      const result = columns.safeParse(values);
      if (result.success) return convert(result.data, position);
      return { problems: listProblems(result.error, cells, position) };
    },
  };
}

/** Records with a column for each field. An empty `camera_ok` is null. */
const RECORDS = createCsvSchema(
  "a records file",
  RECORD_SCHEMA,
  {
    camera_ref: String,
    timestamp: String,
    camera_ok: (cell) => (HEALTHS.has(cell) ? HEALTHS.get(cell) : cell),
    model_name: String,
  },
  (record, position) => ({ kind: "record", ...position, record, isInPage: false }),
);

const OFFSET_TIME = z.regexes.datetime({ offset: true });

/**
 * Parses a time such as `2025-10-29 09:10:27.5+00:00`. The note in RFC 3339, section 5.6, allows a space instead of the `T`.
 * @returns The time in UTC with nine decimals
 */
function parseTime(cell: string): string {
  const time = cell.replace(" ", "T");
  if (!OFFSET_TIME.test(time)) return cell;
  // A JavaScript Date has milliseconds, and Python writes microseconds.
  const [fraction = "."] = /\.\d+/.exec(time) ?? [];
  return `${new Date(time).toISOString().slice(0, -5)}${fraction.padEnd(10, "0").slice(0, 10)}Z`;
}

// In UTC, a time may be before the year 0.
const TIME = z.iso.datetime({
  precision: 9,
  error: "is not a date-time with a UTC offset (YYYY-MM-DD hh:mm:ss+hh:mm)",
});

const { cars: COUNT, camera_ref, model_name } = TrafficRecord.shape;

const IMAGE = z.strictObject({
  image_proc: TIME,
  image_capt: TIME,
  camera_ref,
  model_name,
  car: COUNT,
  person: COUNT,
  bicycle: COUNT,
  motorcycle: COUNT,
  bus: COUNT,
  truck: COUNT,
  /** The number of problems that the engine found in the image. Empty or `None` in older reports. */
  warnings: COUNT.nullable(),
});

/** The detection engine's daily report: one image per row. */
const REPORT = createCsvSchema(
  "a report",
  z.compile(IMAGE),
  {
    image_proc: parseTime,
    image_capt: parseTime,
    camera_ref: (cell) => cell.trim().toLowerCase(),
    model_name: String,
    warnings: (cell) => (cell === "" || cell === "None" ? null : parseNumber(cell)),
  },
  (image, position) => {
    const { image_proc: processedAt, image_capt: capturedAt, warnings } = image;
    const health = warnings === 0 ? "True" : "False";
    const record: Observation = {
      camera_ref: image.camera_ref,
      timestamp: capturedAt.replace(/\.\d+/, ""),
      camera_ok: warnings === null ? null : health,
      cars: image.car,
      persons: image.person,
      bicycles: image.bicycle,
      trucks: image.truck,
      motorcycles: image.motorcycle,
      buses: image.bus,
      model_name: image.model_name,
    };
    return { kind: "image", ...position, record, capturedAt, processedAt };
  },
);

/**
 * Reads a records file or a report.
 * @throws UnreadableError if the header is invalid, or if the cells cannot be separated
 */
export async function* readCsv(
  chunks: AsyncIterable<TextChunk>,
  input: InputFile,
): AsyncGenerator<InputRow[]> {
  let parseRow: ReturnType<typeof createRowParser> | undefined;
  const message = "has no line end: if the file was cut, its last cell may be, too";
  const warn = (line: number) => input.onWarning?.({ file: input.file, line, message });
  for await (const rows of readCsvRows(chunks, warn)) {
    const [header] = rows;
    if (header === undefined) continue;
    parseRow ??= createRowParser(header, input);
    yield rows.map(parseRow).filter((row) => row !== undefined);
  }
}

/** Creates a function that parses a row. The function returns undefined for the header, even if concatenated files repeat it. */
function createRowParser({ cells: header, line }: CsvRow, { file, modelName }: InputFile) {
  const schema = requireSchema(header, line);
  const isHeader = (cells: string[]) => cells[1] === header[1] && cells.join() === header.join();
  return ({ cells, line }: CsvRow): InputRow | undefined => {
    if (isHeader(cells)) return undefined;
    if (cells.length !== header.length) {
      const message = `has ${formatCount(cells.length, "cell")} instead of ${header.length}`;
      // Such as the ^Z at the end of a file of DOS, or a line of spaces.
      const value = cells.length === 1 ? cells[0] : undefined;
      return { problems: [{ file, line, value, message, cause: "cells" }] };
    }
    const named: Record<string, string> = {};
    header.forEach((name, index) => {
      named[name] = cells[index] ?? "";
    });
    if (modelName !== undefined) named.model_name = modelName;
    return schema.convertRow(named, { file, line });
  };
}

/** @throws UnreadableError with the differences from the header of the more likely schema */
function requireSchema(cells: string[], line: number): CsvSchema {
  const schema = /image_/i.test(cells.join()) ? REPORT : RECORDS;
  const { names } = schema;
  // A search for each cell would take minutes for a first line of a megabyte.
  const lastIndexes = new Map(cells.map((name, index) => [name, index]));
  const missing = names.filter((name) => !lastIndexes.has(name));
  const surplus = cells.filter((name, index) => !names.includes(name) || lastIndexes.get(name) !== index);
  if (missing.length === 0 && surplus.length === 0) return schema;
  const hasNone = missing.length === names.length;
  const found = hasNone
    ? `it is ${formatValue(cells.join(), 200)}`
    : `missing: ${missing.join(", ") || "none"}; unknown or repeated: ${formatValue(surplus.slice(0, 5), 200)}`;
  const message = `is not the header of ${schema.title} (lower-case names, separated by commas): ${found}`;
  const hint = schema === RECORDS ? `; ${CONVERSION_HINT}` : "";
  throw new UnreadableError(message + hint, line);
}
