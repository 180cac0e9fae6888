import * as z from "zod";
import { TrafficRecord } from "../../../src/records/schema.ts";
import { CONVERSION_HINT, type InputPosition, type Problem } from "./problem.ts";

/** A valid record that has not been compared with the rest of the load. */
export interface RecordRow extends InputPosition {
  record: TrafficRecord;
  /**
   * For an image in a report: the times of the capture and of the processing, ISO 8601 in UTC with nine decimals, so that they sort as
   * text. The `id` and the `camera_pk` of the record are 0 until the load has read all images.
   */
  image?: { capturedAt: string; processedAt: string };
  /** True for a record in a page. */
  isInPage?: boolean;
}

/** A record of a file, or its problems. */
export type InputRow = RecordRow | { problems: Problem[] };

/** Compiled once, because a compiled schema is about fifteen times as fast. */
export const RECORD_SCHEMA = z.compile(TrafficRecord);

/** Checks the fields of a record. An object without any field of a record has only one problem. */
export function checkRecord(values: unknown, position: InputPosition): InputRow {
  const { data: record, error } = RECORD_SCHEMA.safeParse(values);
  if (record) return { ...position, record };
  const reject = (message: string) => ({ problems: [{ ...position, value: values, message }] });
  if (!isObject(values)) return reject("is not a record");
  const hasField = Object.keys(values).some((name) => Object.hasOwn(TrafficRecord.shape, name));
  if (!hasField) return reject(`is not a record: it has no field of a record; ${CONVERSION_HINT}`);
  return { problems: listProblems(error, values, position) };
}

/**
 * Lists the first problem of each field.
 * @param values The values as they are in the input
 */
export function listProblems(
  { issues }: z.ZodError,
  values: Record<string, unknown>,
  position: InputPosition,
): Problem[] {
  const problems = new Map<string, Problem>();
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys") {
      const message = "is not a field of a record";
      for (const field of issue.keys) problems.set(field, { ...position, field, message });
      continue;
    }
    const field = String(issue.path[0]);
    const value = values[field];
    const message = value === undefined ? "is missing" : issue.message;
    if (!problems.has(field)) problems.set(field, { ...position, field, value, message });
  }
  return [...problems.values()];
}

/** Whether a value is an object in JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
