import type { TrafficRecord } from "./record.ts";

/** The classes of road users, in the order of a record's fields. */
export const CLASSES = [
  "cars",
  "persons",
  "bicycles",
  "trucks",
  "motorcycles",
  "buses",
] as const satisfies (keyof TrafficRecord)[];
export type Class = (typeof CLASSES)[number];

/** How many of each class, in the same order. */
export type Counts = Pick<TrafficRecord, Class>;

/** What a camera counts that fails (specification, "Record": `False` goes with counts of 0). */
export const NO_COUNTS: Readonly<Counts> = {
  cars: 0,
  persons: 0,
  bicycles: 0,
  trucks: 0,
  motorcycles: 0,
  buses: 0,
};
