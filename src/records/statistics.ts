import { type Counts, NO_COUNTS, ROAD_USERS, type TrafficRecord } from "./record.ts";

/**
 * The records of one day in UTC (`YYYY-MM-DD`), by their `camera_ok`: `True`, `False` and null. It is a tuple because there
 * may be thousands of days, which are stored as JSON.
 */
export type Day = [date: string, ok: number, failing: number, unknown: number];

/** Where records come from. */
export interface Source {
  /** The made-up records of this project, a file, or what a person says. */
  kind: "seed" | "file" | "stated";
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
  days: Day[];
  /** Where the records come from, each source once; at most twenty. */
  sources: Source[];
  /** How many sources there are. */
  source_count: number;
}

/** Collects the statistics of records, in any order. */
export interface Gathering {
  add(record: TrafficRecord): void;
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
  sources: [],
  source_count: 0,
};

/**
 * Begins to gather statistics.
 * @param before the statistics of the records before, which are continued and not changed
 */
export function gatherStatistics(before = NOTHING): Gathering {
  const gathered = { ...before, camera_ok: { ...before.camera_ok }, totals: { ...before.totals } };
  const cameras = new Map(before.cameras);
  const days = new Map(before.days.map((day): [string, Day] => [day[0], [...day]]));
  return {
    add(record) {
      cameras.set(record.camera_pk, record.camera_ref);
      addToSums(gathered, record);
      requireDay(days, record.timestamp.slice(0, DATE_LENGTH))[PLACES[record.camera_ok ?? "null"]] += 1;
    },
    statistics: () => ({
      ...gathered,
      camera_ok: { ...gathered.camera_ok },
      totals: { ...gathered.totals },
      cameras: [...cameras].sort(([one], [other]) => one - other),
      days: [...days.values()].sort(([one], [other]) => (one < other ? -1 : 1)),
    }),
  };
}

/** Adds where records come from. Sources after the first twenty are only counted. */
export function addSources(statistics: Statistics, added: Source[]): Statistics {
  const nameOf = (source: Source) => `${source.kind} ${source.name}`;
  const { sources, source_count } = statistics;
  const byName = new Map([...sources, ...added].map((source) => [nameOf(source), source]));
  return {
    ...statistics,
    sources: [...byName.values()].slice(0, MOST_SOURCES),
    source_count: source_count + byName.size - sources.length,
  };
}

/** The length of a date at the beginning of a timestamp. */
const DATE_LENGTH = 10;

/** The place of each value of `camera_ok` in a day. */
const PLACES = { True: 1, False: 2, null: 3 } as const;

function addToSums(sums: Statistics, record: TrafficRecord): void {
  const { id, timestamp, camera_ok } = record;
  sums.records += 1;
  if (sums.first === null || timestamp < sums.first) sums.first = timestamp;
  if (sums.last === null || timestamp > sums.last) sums.last = timestamp;
  sums.largest_id = Math.max(sums.largest_id ?? id, id);
  sums.camera_ok[camera_ok ?? "null"] += 1;
  for (const name of ROAD_USERS) sums.totals[name] += record[name];
}

function requireDay(days: Map<string, Day>, date: string): Day {
  const known = days.get(date);
  if (known) return known;
  const day: Day = [date, 0, 0, 0];
  days.set(date, day);
  return day;
}
