import type { TrafficRecord } from "./record.ts";
import { type Counts, NO_COUNTS, ROAD_USERS } from "./road-users.ts";

/**
 * One day in UTC (`YYYY-MM-DD`): the number of records, how many of them have a `camera_ok` of `False` and of null, and
 * the totals of the counts. It is a tuple because there may be thousands of days, which are stored as JSON.
 */
export type Day = [
  day: string,
  records: number,
  failing: number,
  unknown: number,
  cars: number,
  persons: number,
  bicycles: number,
  trucks: number,
  motorcycles: number,
  buses: number,
];

/** A summary of the records of a state. Every write stores it, so that nobody has to read all records. */
export interface Statistics {
  /** Records in the collection. */
  records: number;
  /** Timestamps of the oldest and of the newest record; null in an empty collection, as is `largest_id`. */
  first: string | null;
  last: string | null;
  largest_id: number | null;
  /** By `camera_pk`. */
  cameras: [camera_pk: number, camera_ref: string][];
  /** Records by camera health. */
  camera_ok: { True: number; False: number; null: number };
  /** Sums of the counts; no longer exact above 2^53. */
  totals: Counts;
  /** The days that have records, oldest first. */
  days: Day[];
}

/** Collects the statistics of records that are being written. */
export interface Gathering {
  /** Yields the same records. They must be oldest first, and later than all records before. */
  pass(records: Iterable<TrafficRecord>): Iterable<TrafficRecord>;
  /** The statistics of all records so far. */
  statistics(): Statistics;
}

const NOTHING: Statistics = {
  records: 0,
  first: null,
  last: null,
  largest_id: null,
  cameras: [],
  camera_ok: { True: 0, False: 0, null: 0 },
  totals: NO_COUNTS,
  days: [],
};

/**
 * Begins to gather statistics.
 * @param before the statistics of the records before, which are continued and not changed
 */
export function gatherStatistics(before = NOTHING): Gathering {
  const gathered = copy(before);
  const cameras = new Map(gathered.cameras);
  return {
    *pass(records) {
      for (const record of records) {
        cameras.set(record.camera_pk, record.camera_ref);
        add(gathered, record);
        yield record;
      }
    },
    statistics: () => ({
      ...copy(gathered),
      cameras: [...cameras].sort(([one], [other]) => one - other),
    }),
  };
}

/** Later records change only the sums and the latest day, so the other days, perhaps thousands, are not copied. */
function copy({ camera_ok, totals, days, ...rest }: Statistics): Statistics {
  const latest = days.slice(-1).map((day): Day => [...day]);
  return {
    ...rest,
    camera_ok: { ...camera_ok },
    totals: { ...totals },
    days: [...days.slice(0, -1), ...latest],
  };
}

function add(gathered: Statistics, record: TrafficRecord): void {
  gathered.records += 1;
  gathered.first ??= record.timestamp;
  gathered.last = record.timestamp;
  gathered.largest_id = Math.max(gathered.largest_id ?? record.id, record.id);
  gathered.camera_ok[record.camera_ok ?? "null"] += 1;
  for (const name of ROAD_USERS) gathered.totals[name] += record[name];
  addToDay(requireDay(gathered.days, record.timestamp.slice(0, 10)), record);
}

/** The day of the next record: the latest day, or a new one. */
function requireDay(days: Day[], name: string): Day {
  const latest = days.at(-1);
  if (latest?.[0] === name) return latest;
  const day: Day = [name, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  days.push(day);
  return day;
}

function addToDay(day: Day, record: TrafficRecord): void {
  day[1] += 1;
  if (record.camera_ok === "False") day[2] += 1;
  if (record.camera_ok === null) day[3] += 1;
  day[4] += record.cars;
  day[5] += record.persons;
  day[6] += record.bicycles;
  day[7] += record.trucks;
  day[8] += record.motorcycles;
  day[9] += record.buses;
}
