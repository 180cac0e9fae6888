import * as z from "zod";
import { TrafficRecord } from "../../src/records/record.ts";
import { type CsvTable, formatCells, validateCells } from "./csv.ts";
import type { Observation } from "./row.ts";
import { cameraRef, createValidator } from "./validation.ts";

const { timestamp, cars: count, model_name } = TrafficRecord.shape;

/** `2025-10-29 09:10:27.5+00:00`: the note in RFC 3339, section 5.6, allows a space instead of the `T`. */
const dateTime = z
  .string()
  .overwrite((text) => text.replace(" ", "T"))
  .pipe(z.iso.datetime({ offset: true, error: ({ input }) => explainDateTime(String(input)) }))
  .transform((text) => new Date(text).toISOString());

function explainDateTime(text: string): string {
  return z.iso.datetime({ local: true }).safeParse(text).success
    ? "has no UTC offset (Z or +hh:mm)"
    : "is not a date-time with a UTC offset (YYYY-MM-DD hh:mm:ss+hh:mm)";
}

/** A row of the detection engine's daily report, in the order of its columns. */
const ReportRow = z.strictObject({
  image_proc: dateTime.pipe(z.iso.datetime({ precision: 3 })),
  image_capt: dateTime.transform((text) => text.replace(/\.\d+/, "")).pipe(timestamp),
  camera_ref: z.string().trim().toLowerCase().pipe(cameraRef),
  model_name,
  car: count,
  person: count,
  bicycle: count,
  motorcycle: count,
  bus: count,
  truck: count,
  /** The number of problems that the engine found in the image; null in older reports. */
  warnings: z.preprocess((cell) => (cell === "None" ? null : cell), count.nullable()),
});
type ReportRow = z.infer<typeof ReportRow>;

const COLUMNS = ReportRow.keyof().options;
const validator = createValidator(ReportRow, "a report");

/** The detection engine's daily report: one observation per row. */
export const reportTable: CsvTable = {
  title: "a report",
  columns: COLUMNS,
  readRow(cells, place, modelName) {
    const checked = validateCells(validator, cells, place, modelName);
    return "data" in checked ? { ...place, observation: toObservation(checked.data) } : checked;
  },
};

function toObservation(row: ReportRow): Observation {
  return {
    camera_ref: row.camera_ref,
    timestamp: row.image_capt,
    camera_ok: row.warnings === null ? null : row.warnings === 0 ? "True" : "False",
    cars: row.car,
    persons: row.person,
    bicycles: row.bicycle,
    trucks: row.truck,
    motorcycles: row.motorcycle,
    buses: row.bus,
    model_name: row.model_name,
    processed_at: row.image_proc,
  };
}

/**
 * Writes records as a report. It has no columns for `id` and `camera_pk`; a load assigns new ones. A record has no time of
 * processing, so `image_proc` is `id` milliseconds after 1970 and a load numbers the records in the same order.
 * @throws RangeError if an id is too large or too small for that
 */
export async function* writeReport(
  records: Iterable<TrafficRecord> | AsyncIterable<TrafficRecord>,
): AsyncGenerator<string> {
  yield formatCells(COLUMNS);
  for await (const record of records) yield formatCells(toCells(record));
}

const WARNINGS = { True: "0", False: "1", null: "" };

/** In the order of the columns. */
function toCells(record: TrafficRecord): (string | number)[] {
  return [
    toProcessingTime(record.id),
    record.timestamp.replace("T", " ").replace("Z", "+00:00"),
    record.camera_ref,
    record.model_name,
    record.cars,
    record.persons,
    record.bicycles,
    record.motorcycles,
    record.buses,
    record.trucks,
    WARNINGS[record.camera_ok ?? "null"],
  ];
}

/** Years of ISO 8601 have four digits. */
const MIN_ID = Date.parse("0000-01-01T00:00:00.000Z");
const MAX_ID = Date.parse("9999-12-31T23:59:59.999Z");

function toProcessingTime(id: number): string {
  if (id >= MIN_ID && id <= MAX_ID)
    return new Date(id).toISOString().replace("T", " ").replace("Z", "+00:00");
  throw new RangeError(
    `id ${id} cannot be written to a report, which allows ids from ${MIN_ID} to ${MAX_ID}`,
  );
}
