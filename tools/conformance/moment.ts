import { TrafficRecord } from "../../src/records/record.ts";

/** A day and a time that exist, in the shape of the specification. */
export function isMoment(value: unknown): value is string {
  return TrafficRecord.shape.timestamp.safeParse(value).success;
}
