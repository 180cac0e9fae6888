import { NO_COUNTS, type TrafficRecord } from "../records/record.ts";
import { type Camera, createCameras } from "./cameras.ts";
import { generateCounts } from "./counts.ts";
import {
  createProcessingOrder,
  EPOCH,
  generateIntervals,
  getCaptureTime,
  getProcessingRank,
  type Interval,
} from "./intervals.ts";
import { isInOutage } from "./outages.ts";
import { hash, uniform } from "./random.ts";

/** The random seed of the seed records, and of the records that growth adds to them. */
export const SEED = 1;

export const DEFAULT_CAMERA_COUNT = 86;

/** Minutes from one record of a camera to its next. */
export const DEFAULT_INTERVAL_MINUTES = 30;

/** Which records to generate. The period is `from` to `to`. */
export interface GeneratorOptions {
  /** The random seed, a whole number 0 .. 2^32 - 1. Another seed gives other records. */
  seed: number;
  /** Not before 2019-01-01 UTC. */
  from: Date;
  /** Not included. There are no records unless it is later than `from`. */
  to: Date;
  /** The number of cameras, 1 or more; 86 by default. */
  cameras?: number;
  /** Whole minutes from one record of a camera to its next, 1 or more; 30 by default. */
  interval?: number;
}

/** Older records have no camera health (specification, "List records", rule 4). Seconds since 1970-01-01 UTC. */
const HEALTH_SINCE = Date.UTC(2021, 0, 1) / 1000;

/** The share of records that are missing outside the absences of their camera. */
const MISSING_SHARE = 0.012;

const MISSING = 0;
const COUNTS = 1;

/**
 * Generates the records of a period, oldest first; records with the same timestamp by `camera_ref` ascending.
 *
 * A record depends only on the random seed, the interval length, its camera and its interval; its id depends on the number
 * of cameras too. A longer period therefore only adds records. Memory holds the records of one interval.
 *
 * @throws RangeError if the period starts before 2019-01-01 UTC or an option is out of range
 */
export function* generateRecords(options: GeneratorOptions): Generator<TrafficRecord, void> {
  const { seed, from, to, count, minutes } = requireValid(options);
  const cameras = createCameras(count, seed);
  const order = createProcessingOrder(count, seed);
  for (const interval of generateIntervals(from, to, minutes)) {
    const records: TrafficRecord[] = [];
    for (const camera of cameras) {
      const time = getCaptureTime(interval, camera.site);
      if (time < from || time >= to || isMissing(camera, interval, time)) continue;
      const rank = getProcessingRank(order, interval.number, camera.camera_pk);
      records.push(createRecord(camera, interval, time, interval.number * count + rank + 1));
    }
    yield* records.sort(byTime);
  }
}

/** Returns the options with defaults, and with times in seconds since 1970-01-01 UTC. */
function requireValid({
  seed,
  from,
  to,
  cameras: count = DEFAULT_CAMERA_COUNT,
  interval: minutes = DEFAULT_INTERVAL_MINUTES,
}: GeneratorOptions) {
  if (!(from.getTime() >= EPOCH * 1000)) throw new RangeError("from must be a date since 2019-01-01 UTC");
  if (Number.isNaN(to.getTime())) throw new RangeError("to must be a date");
  if (seed !== seed >>> 0) throw new RangeError("seed must be a whole number, 0 to 4294967295");
  if (!isPositive(count)) throw new RangeError("cameras must be a whole number, 1 or more");
  if (!isPositive(minutes)) throw new RangeError("interval must be a whole number of minutes, 1 or more");
  return { seed, from: from.getTime() / 1000, to: to.getTime() / 1000, count, minutes };
}

function isPositive(value: number): boolean {
  return Number.isInteger(value) && value > 0;
}

function isMissing({ key, absences }: Camera, { number }: Interval, time: number): boolean {
  return uniform(hash(key, number), MISSING) < MISSING_SHARE || isInOutage(absences, time);
}

function createRecord(camera: Camera, interval: Interval, time: number, id: number): TrafficRecord {
  const { camera_pk, camera_ref, site, peakCounts } = camera;
  const failing = isInOutage(camera.failures, time);
  const key = hash(hash(camera.key, interval.number), COUNTS);
  const counts = failing ? NO_COUNTS : generateCounts(site.sceneType, peakCounts, key, interval.profile);
  return {
    id,
    camera_pk,
    camera_ref,
    timestamp: `${new Date(time * 1000).toISOString().slice(0, 19)}Z`,
    camera_ok: time < HEALTH_SINCE ? null : failing ? "False" : "True",
    ...counts,
    model_name: "tf1",
  };
}

function byTime(one: TrafficRecord, other: TrafficRecord): number {
  if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? -1 : 1;
  return one.camera_ref < other.camera_ref ? -1 : 1;
}
