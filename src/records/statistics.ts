import type { TrafficRecord } from "./record.ts";
import { type Counts, NO_COUNTS, ROAD_USERS } from "./road-users.ts";

/**
 * One day or one hour in UTC (`YYYY-MM-DD` or `YYYY-MM-DDThh`): the number of records, how many of them have a `camera_ok` of
 * `False` and of null, and the totals of the counts. It is a tuple because there may be thousands of days, which are
 * stored as JSON.
 */
export type Interval = [
  name: string,
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

/** Where records come from. */
export interface Source {
  /** The made-up records of this project, a file, what a person says, or the cron trigger. */
  kind: "seed" | "file" | "stated" | "growth";
  name: string;
}

/** The most sources that are recorded. Those of later appends are left out. */
const MOST_SOURCES = 20;

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
  days: Interval[];
  /** The hours that have records, while there are only one or two days. An older version stored none. */
  hours?: Interval[] | undefined;
  /** Where the records come from, each source once. An older version stored none. */
  sources?: Source[] | undefined;
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
  hours: [],
  sources: [],
};

/**
 * Begins to gather statistics.
 * @param before the statistics of the records before, which are continued and not changed
 * @param sources where the records come from
 */
export function gatherStatistics(before = NOTHING, sources: Source[] = []): Gathering {
  const gathered = { ...copy(before), sources: before.sources && addSources(before.sources, sources) };
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

function addSources(known: Source[], added: Source[]): Source[] {
  const byName = new Map([...known, ...added].map((source) => [`${source.kind} ${source.name}`, source]));
  return [...byName.values()].slice(0, MOST_SOURCES);
}

/** Later records change only the sums and the latest intervals, so the others, perhaps thousands, are not copied. */
function copy({ camera_ok, totals, days, hours, ...rest }: Statistics): Statistics {
  return {
    ...rest,
    camera_ok: { ...camera_ok },
    totals: { ...totals },
    days: copyIntervals(days),
    hours: hours && copyIntervals(hours),
  };
}

function copyIntervals(intervals: Interval[]): Interval[] {
  const latest = intervals.slice(-1).map((interval): Interval => [...interval]);
  return [...intervals.slice(0, -1), ...latest];
}

/** The length of the name of a day and of an hour at the beginning of a timestamp. */
const DAY_LENGTH = 10;
const HOUR_LENGTH = 13;

/** With more days, a chart shows days. */
const MOST_DAYS_IN_HOURS = 2;

function add(gathered: Statistics, record: TrafficRecord): void {
  gathered.records += 1;
  gathered.first ??= record.timestamp;
  gathered.last = record.timestamp;
  gathered.largest_id = Math.max(gathered.largest_id ?? record.id, record.id);
  gathered.camera_ok[record.camera_ok ?? "null"] += 1;
  for (const name of ROAD_USERS) gathered.totals[name] += record[name];
  addToInterval(requireInterval(gathered.days, record.timestamp.slice(0, DAY_LENGTH)), record);
  if (gathered.days.length > MOST_DAYS_IN_HOURS) gathered.hours = undefined;
  if (gathered.hours)
    addToInterval(requireInterval(gathered.hours, record.timestamp.slice(0, HOUR_LENGTH)), record);
}

/** The interval of the next record: the latest interval, or a new one. */
function requireInterval(intervals: Interval[], name: string): Interval {
  const latest = intervals.at(-1);
  if (latest?.[0] === name) return latest;
  const interval: Interval = [name, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  intervals.push(interval);
  return interval;
}

function addToInterval(interval: Interval, record: TrafficRecord): void {
  interval[1] += 1;
  if (record.camera_ok === "False") interval[2] += 1;
  if (record.camera_ok === null) interval[3] += 1;
  interval[4] += record.cars;
  interval[5] += record.persons;
  interval[6] += record.bicycles;
  interval[7] += record.trucks;
  interval[8] += record.motorcycles;
  interval[9] += record.buses;
}
