import * as z from "zod";
import { TrafficRecord } from "../../src/records/record.ts";
import type { Place } from "./problem.ts";
import type { Row } from "./row.ts";
import { cameraRef, createValidator } from "./validation.ts";

const { timestamp, cars: count, model_name } = TrafficRecord.shape;

const NOT_A_TIME = "is not a date-time with a UTC offset (YYYY-MM-DD hh:mm:ss+hh:mm)";

/** `2025-10-29 09:10:27.5+00:00`: the note in RFC 3339, section 5.6, allows a space instead of the `T`. */
const dateTime = z
  .string()
  .overwrite((text) => text.replace(" ", "T"))
  .pipe(z.iso.datetime({ offset: true, error: () => NOT_A_TIME }))
  .transform((text) => new Date(text).toISOString());

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

const reportValidator = createValidator(ReportRow, "a report");

/** The columns of a report. */
export const REPORT_FIELDS = reportValidator.fields;

/** Checks a row of a report. */
export function checkObservation(values: unknown, place: Place): Row {
  const checked = reportValidator.validate(values, place);
  if ("problems" in checked) return checked;
  const { image_proc, image_capt, camera_ref, warnings, model_name, ...counts } = checked.data;
  const record: TrafficRecord = {
    id: 0,
    camera_pk: 0,
    camera_ref,
    timestamp: image_capt,
    camera_ok: warnings === null ? null : warnings === 0 ? "True" : "False",
    cars: counts.car,
    persons: counts.person,
    bicycles: counts.bicycle,
    trucks: counts.truck,
    motorcycles: counts.motorcycle,
    buses: counts.bus,
    model_name,
  };
  return { ...place, record, processedAt: image_proc };
}
