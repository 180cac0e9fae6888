import * as z from "zod";
import type { TrafficRecord } from "../../src/records/record.ts";
import { formatCount, formatValue } from "../messages.ts";
import { type CsvRow, readCsvRows } from "./csv.ts";
import type { InputFile, TextChunk } from "./input-file.ts";
import { type InputPosition, type Problem, UnreadableError } from "./problem.ts";
import {
  COUNT,
  checkRecord,
  checkValues,
  type Field,
  type InputRow,
  MODEL,
  RECORD_FIELDS,
  REF,
  UTC,
} from "./validation.ts";

/** A kind of CSV file. */
interface CsvTable {
  /** Completes the sentence "... is not the header of ...". */
  title: string;
  /** The columns, in any order. */
  fields: ReadonlyMap<string, Field>;
  check(values: object, position: InputPosition): InputRow;
}

/** Records with a column for each field. An empty `camera_ok` is null. */
const RECORDS: CsvTable = { title: "a records file", fields: RECORD_FIELDS, check: checkRecord };

const OFFSET_TIME = z.regexes.datetime({ offset: true });

/** `2025-10-29 09:10:27.5+00:00`: the note in RFC 3339, section 5.6, allows a space instead of the `T`. */
const TIME: Field = {
  expected: "a date-time with a UTC offset (YYYY-MM-DD hh:mm:ss+hh:mm)",
  usual: OFFSET_TIME,
  parse(cell) {
    const time = cell.replace(" ", "T");
    if (!OFFSET_TIME.test(time)) return null;
    // A number of JavaScript holds milliseconds; Python writes microseconds.
    const [fraction = "."] = /\.\d+/.exec(time) ?? [];
    return `${new Date(time).toISOString().slice(0, -5)}${fraction.padEnd(10, "0").slice(0, 10)}Z`;
  },
  check: (value) => value !== null && (UTC.check(toSeconds(String(value))) || `is not ${UTC.expected}`),
};

const toSeconds = (time: string) => time.replace(/\.\d+/, "");

/** The number of problems that the engine found in the image; null in older reports. */
const WARNINGS: Field = {
  ...COUNT,
  expected: `${COUNT.expected}, or null`,
  parse: (cell) => (cell === "" || cell === "None" ? null : COUNT.parse(cell)),
  check: (value) => value === null || COUNT.check(value),
};

/** An image in the detection engine's daily report. */
const IMAGE = {
  ...{ image_proc: TIME, image_capt: TIME },
  camera_ref: { ...REF, parse: (cell: string) => cell.trim().toLowerCase() },
  model_name: MODEL,
  ...{ car: COUNT, person: COUNT, bicycle: COUNT, motorcycle: COUNT, bus: COUNT, truck: COUNT },
  warnings: WARNINGS,
};

type Observation = Record<"image_proc" | "image_capt" | "camera_ref", string> &
  Record<"car" | "person" | "bicycle" | "motorcycle" | "bus" | "truck", number> & { warnings: number | null };

/** The detection engine's daily report: an image per row. */
const REPORT: CsvTable = {
  title: "a report",
  fields: new Map(Object.entries(IMAGE)),
  check: checkObservation,
};

function checkObservation(values: object, position: InputPosition): InputRow {
  const problems = checkValues(values, REPORT.fields, REPORT.title, position);
  if (problems.length > 0) return { problems };
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
  return { ...position, record, processedAt: image_proc };
}

/**
 * Reads a records file or a report, which its header distinguishes.
 * @throws UnreadableError if it has the header of neither, or if the cells cannot be separated
 */
export async function* readCsv(
  chunks: AsyncIterable<TextChunk>,
  source: InputFile,
): AsyncGenerator<InputRow[]> {
  let readRow: ReturnType<typeof createRowReader> | undefined;
  for await (const rows of readCsvRows(chunks)) {
    const [header] = rows;
    if (header) readRow ??= createRowReader(header, source);
    if (readRow) yield rows.map(readRow).filter((row) => row !== undefined);
  }
}

/** @returns a function that reads a row; undefined for the header, which files that were concatenated repeat */
function createRowReader(header: CsvRow, { file, modelName }: InputFile) {
  const table = requireTable(header);
  const columns = header.cells.map((name) => ({ name, ...(table.fields.get(name) as Field) }));
  // A file that was concatenated may begin with a byte order mark.
  const isHeader = ({ cells }: CsvRow) =>
    cells[1] === header.cells[1] && cells.join().replace(/^\ufeff/, "") === header.cells.join();
  return (row: CsvRow): InputRow | undefined => {
    if (isHeader(row)) return undefined;
    const { cells, line } = row;
    if (cells.length !== columns.length) {
      const message = `has ${formatCount(cells.length, "cell")} instead of ${columns.length}`;
      return { problems: [{ file, line, message }] };
    }
    const values: Record<string, unknown> = {};
    let isUsual = table === RECORDS;
    for (let i = 0; i < columns.length; i++) {
      const { name, usual, parse } = columns[i] as (typeof columns)[number];
      const cell = cells[i] ?? "";
      isUsual &&= usual.test(cell);
      values[name] = parse(cell);
    }
    if (isUsual) return { file, line, record: values as TrafficRecord };
    if (modelName) values.model_name = modelName;
    const checked = table.check(values, { file, line });
    return "problems" in checked ? { problems: showCells(checked.problems, header.cells, cells) } : checked;
  };
}

/** @throws UnreadableError that compares the header with that of the more likely table */
function requireTable({ cells, line }: CsvRow): CsvTable {
  const table = /image_/i.test(cells.join()) ? REPORT : RECORDS;
  const names = [...table.fields.keys()];
  const missing = names.filter((name) => !cells.includes(name));
  const surplus = cells.filter((name, index) => !names.includes(name) || cells.indexOf(name) < index);
  if (missing.length === 0 && surplus.length === 0) return table;
  const differences = [
    ...(missing.length > 0 ? [`${missing.join(", ")} missing`] : []),
    ...(surplus.length > 0 ? [`${formatValue(surplus.join(","))} unknown or repeated`] : []),
  ];
  const message = `is not the header of ${table.title}, with commas between names in lower case: ${differences.join("; ")}`;
  throw new UnreadableError(message, line);
}

/** Shows the cells as they are in the file. What is null elsewhere is an empty cell in CSV. */
function showCells(problems: Problem[], names: string[], cells: string[]): Problem[] {
  return problems.map((problem) => ({
    ...problem,
    value: cells[names.indexOf(problem.field ?? "")],
    message: problem.message.replace(/or null$/, "or empty"),
  }));
}
