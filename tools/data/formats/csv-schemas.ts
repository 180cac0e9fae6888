import * as z from "zod";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { formatCount, formatValue } from "../../messages.ts";
import { type CsvRow, readCsvRows } from "./csv.ts";
import { countOccurrences, type InputFile, type TextChunk } from "./input-file.ts";
import { CONVERSION_HINT, type Problem, UnreadableError } from "./problem.ts";
import { type Field, type InputRow, RECORD_FIELDS, type RecordRow } from "./validation.ts";

/** The columns of a kind of CSV file. The header of a file determines its schema. */
interface CsvSchema {
  /** Completes the message "... is not the header of ...". */
  title: string;
  /** The columns, in any order. */
  fields: Record<string, Field>;
  /** Converts valid values to a row. */
  convert(values: object, file: string, line: number): RecordRow;
}

/** Records with a column for each field. An empty `camera_ok` is null. */
const RECORDS: CsvSchema = {
  title: "a records file",
  fields: RECORD_FIELDS,
  convert: (values, file, line) => ({ file, line, record: values as TrafficRecord }),
};

const OFFSET_TIME = z.regexes.datetime({ offset: true });
const toSeconds = (time: string) => time.replace(/\.\d+/, "");

/** Such as `2025-10-29 09:10:27.5+00:00`. The note in RFC 3339, section 5.6, allows a space instead of the `T`. */
const TIME: Field = {
  parse(cell) {
    const time = cell.replace(" ", "T");
    if (!OFFSET_TIME.test(time)) return null;
    // A JavaScript Date has milliseconds, and Python writes microseconds.
    const [fraction = "."] = /\.\d+/.exec(time) ?? [];
    return `${new Date(time).toISOString().slice(0, -5)}${fraction.padEnd(10, "0").slice(0, 10)}Z`;
  },
  // In UTC, a time may be before the year 0.
  check: (value) =>
    RECORD_FIELDS.timestamp.check(toSeconds(String(value))) &&
    "is not a date-time with a UTC offset (YYYY-MM-DD hh:mm:ss+hh:mm)",
};

const { cars: COUNT, camera_ref: REF, model_name: MODEL } = RECORD_FIELDS;

/** The number of problems that the engine found in the image. Empty or `None` in older reports. */
const WARNINGS: Field = {
  parse: (cell) => (cell === "" || cell === "None" ? null : COUNT.parse(cell)),
  check: (value) => (value === null ? undefined : COUNT.check(value)),
};

type Observation = Record<"image_proc" | "image_capt" | "camera_ref", string> &
  Record<"car" | "person" | "bicycle" | "motorcycle" | "bus" | "truck", number> & { warnings: number | null };

/** The detection engine's daily report: one image per row. */
const REPORT: CsvSchema = {
  title: "a report",
  fields: {
    image_proc: TIME,
    image_capt: TIME,
    camera_ref: { ...REF, parse: (cell) => cell.trim().toLowerCase() },
    model_name: MODEL,
    car: COUNT,
    person: COUNT,
    bicycle: COUNT,
    motorcycle: COUNT,
    bus: COUNT,
    truck: COUNT,
    warnings: WARNINGS,
  },
  convert(values, file, line) {
    const { image_proc, image_capt, camera_ref, warnings, ...counts } = values as Observation;
    const health = warnings === 0 ? "True" : "False";
    const record: TrafficRecord = {
      id: 0,
      camera_pk: 0,
      camera_ref,
      timestamp: toSeconds(image_capt),
      camera_ok: warnings === null ? null : health,
      cars: counts.car,
      persons: counts.person,
      bicycles: counts.bicycle,
      trucks: counts.truck,
      motorcycles: counts.motorcycle,
      buses: counts.bus,
      model_name: "tf1",
    };
    return { file, line, record, image: { capturedAt: image_capt, processedAt: image_proc } };
  },
};

/**
 * Reads a records file or a report.
 * @throws UnreadableError if the header is invalid, or if the cells cannot be separated
 */
export async function* readCsv(
  chunks: AsyncIterable<TextChunk>,
  source: InputFile,
): AsyncGenerator<InputRow[]> {
  let parseRow: ReturnType<typeof createRowParser> | undefined;
  for await (const rows of readCsvRows(chunks)) {
    const [header] = rows;
    if (header) parseRow ??= createRowParser(header, source);
    if (parseRow) yield rows.map(parseRow).filter((row) => row !== undefined);
  }
}

/** Creates a function that parses a row. The function returns undefined for the header, even if concatenated files repeat it. */
function createRowParser(header: CsvRow, { file, modelName }: InputFile) {
  const { fields, convert } = requireSchema(header);
  const columns = header.cells.map((name) => ({ name, ...(fields[name] as Field) }));
  for (const column of columns) if (modelName && column.name === "model_name") column.parse = () => modelName;
  // A concatenated file may begin with a byte order mark.
  const isHeader = (cells: string[]) =>
    cells[1] === header.cells[1] && cells.join().replace(/^\ufeff/, "") === header.cells.join();
  return ({ cells, line }: CsvRow): InputRow | undefined => {
    if (isHeader(cells)) return undefined;
    if (cells.length !== columns.length) {
      const message = `has ${formatCount(cells.length, "cell")} instead of ${columns.length}`;
      return { problems: [{ file, line, message, cause: "cells" }] };
    }
    const values: Record<string, unknown> = {};
    const problems: Problem[] = [];
    // An index is faster than an iterator here.
    for (let index = 0; index < columns.length; index++) {
      const { name: field, parse, check } = columns[index] as (typeof columns)[number];
      const value = cells[index] ?? "";
      values[field] = parse(value);
      const message = check(values[field]);
      if (message !== undefined) problems.push({ file, line, field, value, message });
    }
    return problems.length > 0 ? { problems } : convert(values, file, line);
  };
}

/** @throws UnreadableError with the differences from the header of the more likely schema */
function requireSchema({ cells, line }: CsvRow): CsvSchema {
  const schema = /image_/i.test(cells.join()) ? REPORT : RECORDS;
  const names = Object.keys(schema.fields);
  const missing = names.filter((name) => !cells.includes(name));
  const surplus = cells.filter((name, index) => !names.includes(name) || cells.indexOf(name) < index);
  if (missing.length === 0 && surplus.length === 0) return schema;
  const list = (some: string[]) => formatValue(some.slice(0, 5), 200);
  const separator = findSeparator(cells.join());
  const found =
    missing.length === names.length
      ? `it starts with ${list(separator === "," ? cells : cells.join().split(separator))}, separated by ${formatValue(separator)}`
      : `missing: ${missing.join(", ") || "none"}; unknown or repeated: ${list(surplus)}`;
  const message = `is not the header of ${schema.title} (lower-case names, separated by commas): ${found}`;
  const hint = schema === RECORDS ? `; ${CONVERSION_HINT}` : "";
  throw new UnreadableError(message + hint, line);
}

/** Finds the most frequent character that separates the names of a header. */
function findSeparator(header: string): string {
  const count = (character: string) => countOccurrences(header, character);
  return [",", ";", "\t"].reduce((most, next) => (count(next) > count(most) ? next : most));
}
