import type { TrafficRecord } from "./record.ts";

/** The road users that are counted, in the order of a record's fields. */
export const ROAD_USERS = [
  "cars",
  "persons",
  "bicycles",
  "trucks",
  "motorcycles",
  "buses",
] as const satisfies (keyof TrafficRecord)[];
export type RoadUser = (typeof ROAD_USERS)[number];

/** How many of each were counted. */
export type Counts = Pick<TrafficRecord, RoadUser>;

/** The counts of a camera that fails (specification, "Record": `False` goes with counts of 0). */
export const NO_COUNTS: Readonly<Counts> = {
  cars: 0,
  persons: 0,
  bicycles: 0,
  trucks: 0,
  motorcycles: 0,
  buses: 0,
};
