import type { TrafficRecord } from "../../src/records/record.ts";
import { csvCells } from "./csv.ts";

const COLUMNS = [
  "image_proc",
  "image_capt",
  "camera_ref",
  "model_name",
  "car",
  "person",
  "bicycle",
  "motorcycle",
  "bus",
  "truck",
  "warnings",
];

/** What `warnings` says of the camera's health; empty in older reports. */
const WARNINGS = { True: "0", False: "1", null: "" };

/** The years of ISO 8601 have four digits. */
const LAST_ID = Date.parse("9999-12-31T23:59:59.999Z");
const FIRST_ID = Date.parse("0000-01-01T00:00:00.000Z");

/**
 * Writes records as the detection engine's daily report (data/sources/report.ts). It has no column for `id` and
 * `camera_pk`, which a load numbers anew, and none for the time of processing in a record: `image_proc` is as many
 * milliseconds after 1970 as the `id` says, so that a load puts the ids in the same order.
 * @throws RangeError if an id is too large, or too small, for that
 */
export async function* writeReport(
  records: Iterable<TrafficRecord> | AsyncIterable<TrafficRecord>,
): AsyncGenerator<string> {
  yield csvCells(COLUMNS);
  for await (const record of records) yield csvCells(toCells(record));
}

function toCells(record: TrafficRecord): (string | number)[] {
  return [
    processedAt(record.id),
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

function processedAt(id: number): string {
  if (id < FIRST_ID || id > LAST_ID) throw new RangeError(`The id ${id} is out of the range of a report`);
  return new Date(id).toISOString().replace("T", " ").replace("Z", "+00:00");
}
