import * as z from "zod";
import { TrafficRecord } from "../../src/records/record.ts";
import type { Table } from "./header.ts";
import { checkShape, describeShape, readCells } from "./shape.ts";
import type { Observation } from "./source.ts";

const { camera_ref, timestamp, cars: count, model_name } = TrafficRecord.shape;

/** `2025-10-29 09:10:27.5+00:00`: RFC 3339, section 5.6, whose note allows the space in place of the T. */
const moment = z
  .string()
  .overwrite((text) => text.replace(" ", "T"))
  .pipe(z.iso.datetime({ offset: true, error: ({ input }) => explainMoment(String(input)) }))
  .transform((text) => new Date(text).toISOString());

function explainMoment(text: string): string {
  return z.iso.datetime({ local: true }).safeParse(text).success
    ? "has no offset from UTC (Z or +hh:mm)"
    : "is not a date-time with its offset from UTC (YYYY-MM-DD hh:mm:ss+hh:mm)";
}

/** A row of the detection engine's daily report. */
const ReportRow = z.strictObject({
  image_proc: moment.pipe(z.iso.datetime({ precision: 3 })),
  image_capt: moment.transform((text) => text.replace(/\.\d+/, "")).pipe(timestamp),
  camera_ref: z.string().trim().toLowerCase().pipe(camera_ref),
  model_name,
  car: count,
  person: count,
  bicycle: count,
  motorcycle: count,
  bus: count,
  truck: count,
  /** How many things the engine found wrong with the image; unknown in older reports. */
  warnings: z.preprocess((cell) => (cell === "None" ? null : cell), count.nullable()),
});
type ReportRow = z.infer<typeof ReportRow>;

const shape = describeShape(ReportRow, "a report");

/** The detection engine's daily report: an observation a row. */
export const reportTable: Table = {
  title: "a report",
  columns: ReportRow.keyof().options,
  readRow(cells, place, modelName) {
    const values = { ...readCells(shape, cells), ...(modelName && { model_name: modelName }) };
    const checked = checkShape(shape, values, place, cells);
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
