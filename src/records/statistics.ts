import { type Counts, NO_COUNTS, ROAD_USERS, type TrafficRecord } from "./record.ts";

/**
 * The records of one day in UTC (`YYYY-MM-DD`), by their `camera_ok`: `True`, `False` and null. It is a tuple because there
 * may be thousands of days, which are stored as JSON.
 */
export type Day = [date: string, ok: number, failing: number, unknown: number];

/** Where records come from. */
export interface Source {
  /** The made-up records of this project, a file, what a person says, or the cron trigger. */
  kind: "seed" | "file" | "stated" | "growth";
  name: string;
}

/** The most sources that are recorded. Those of later appends are left out. */
export const MOST_SOURCES = 20;

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
  /** Where the records come from, each source once. */
  sources: Source[];
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
  sources: [],
};

/**
 * Begins to gather statistics.
 * @param before the statistics of the records before, which are continued and not changed
 * @param sources where the records come from
 */
export function gatherStatistics(before = NOTHING, sources: Source[] = []): Gathering {
  const gathered = { ...copy(before), sources: addSources(before.sources, sources) };
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

/** The length of a date at the beginning of a timestamp. */
const DATE_LENGTH = 10;

/** The place of each value of `camera_ok` in a day. */
const PLACES = { True: 1, False: 2, null: 3 } as const;

function add(gathered: Statistics, record: TrafficRecord): void {
  const health = record.camera_ok ?? "null";
  gathered.records += 1;
  gathered.first ??= record.timestamp;
  gathered.last = record.timestamp;
  gathered.largest_id = Math.max(gathered.largest_id ?? record.id, record.id);
  gathered.camera_ok[health] += 1;
  for (const name of ROAD_USERS) gathered.totals[name] += record[name];
  requireDay(gathered.days, record.timestamp.slice(0, DATE_LENGTH))[PLACES[health]] += 1;
}

/** The day of the next record: the latest day, or a new one. */
function requireDay(days: Day[], date: string): Day {
  const latest = days.at(-1);
  if (latest?.[0] === date) return latest;
  const day: Day = [date, 0, 0, 0];
  days.push(day);
  return day;
}
