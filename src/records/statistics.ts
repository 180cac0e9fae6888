import { type Counts, NO_COUNTS } from "./record.ts";

/**
 * One day in UTC (`YYYY-MM-DD`): its records, those with `camera_ok` `False` and null, and all road users that they counted. It is a
 * tuple because there may be thousands of days, which are stored as JSON.
 */
export type Day = [date: string, records: number, failing: number, unknown: number, roadUsers: number];

/** The records of one hour of the day in UTC, and all road users that they counted. */
export type Hour = [records: number, roadUsers: number];

/** A summary of the records of a load, which is stored with it, so that nobody has to read all records. */
export interface Statistics {
  /** Timestamps of the oldest and of the newest record; null in an empty collection. */
  first: string | null;
  last: string | null;
  /** By `camera_pk`. */
  cameras: [camera_pk: number, camera_ref: string][];
  /** Sums of the counts; no longer exact above 2^53. */
  totals: Counts;
  /** The days that have records, oldest first. */
  days: Day[];
  /** The 24 hours from 0 to 23 of Monday to Friday, and of Saturday and Sunday. */
  hours: { weekdays: Hour[]; weekends: Hour[] };
  /** Where the records come from: the names of files, or what a person says; at most twenty. */
  sources: string[];
  /** How many sources there are. */
  source_count: number;
}

/** The statistics of a collection without records. */
export const NO_STATISTICS: Statistics = {
  first: null,
  last: null,
  cameras: [],
  totals: NO_COUNTS,
  days: [],
  hours: { weekdays: [], weekends: [] },
  sources: [],
  source_count: 0,
};
