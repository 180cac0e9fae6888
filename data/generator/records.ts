import { NO_COUNTS, type TrafficRecord } from "../../src/records/record.ts";
import { type Camera, createCameras, isInOutage, type Site } from "./cameras.ts";
import { generateCounts } from "./counts.ts";
import { hash, integer, SEED_PARTS, uniform } from "./random.ts";

/** The random seed of the seed records. */
export const SEED = 1;

/** Which records to generate: those of the period from `from` up to, but not including, `to`. */
export interface GeneratorOptions {
  /** The random seed, a whole number 0 .. 2^32 - 1. Another seed gives other records. */
  seed: number;
  /** Not before 2019-01-01 UTC. */
  from: Date;
  to: Date;
  /** The number of cameras, 1 or more; 86 by default. */
  cameras?: number | undefined;
  /** Whole minutes from one record of a camera to its next, 1 or more; 30 by default. */
  interval?: number | undefined;
}

// All times below are in seconds since 1970-01-01 UTC.

/** 2019-01-01 UTC. Intervals, and therefore ids, are counted from here. */
export const EPOCH = Date.UTC(2019, 0, 1) / 1000;

/** Older records have no camera health (specification, "List records", rule 4). */
const HEALTH_SINCE = Date.UTC(2021, 0, 1) / 1000;

/** The share of records that are missing outside the absences of their camera. */
const MISSING_SHARE = 0.012;

/** What the key of a camera and an interval decides. */
const [MISSING, COUNTS] = [0, 1] as const;

/**
 * Generates records, oldest first, those with the same timestamp by `camera_ref` descending. A record depends only on the random
 * seed, the interval length, its camera and its interval; its id depends on the number of cameras too. A longer period therefore
 * only adds records. Memory holds the records of one interval.
 */
export function* generateRecords(options: GeneratorOptions): Generator<TrafficRecord, void> {
  const { seed, cameras: count = 86, interval: minutes = 30 } = options;
  const [from, to, length] = [options.from.getTime() / 1000, options.to.getTime() / 1000, minutes * 60];
  const cameras = createCameras(count, seed);
  const rankOf = createRanks(count, seed);
  for (let number = Math.floor((from - EPOCH) / length); EPOCH + number * length < to; number++) {
    const interval: Interval = { number, start: EPOCH + number * length, length };
    const records: TrafficRecord[] = [];
    for (const camera of cameras) {
      const time = getCaptureTime(interval, camera.site);
      const key = hash(camera.key, number);
      const isMissing = uniform(key, MISSING) < MISSING_SHARE || isInOutage(camera.absences, time);
      if (time < from || time >= to || isMissing) continue;
      const id = number * count + rankOf(number, camera.camera_pk) + 1;
      records.push(createRecord(camera, interval, time, id));
    }
    yield* records.sort(byAge);
  }
}

/** A span of time in which each camera has at most one record. */
interface Interval {
  /** Counted from 0 at the epoch. */
  number: number;
  start: number;
  length: number;
}

function createRecord(camera: Camera, { number, start }: Interval, time: number, id: number): TrafficRecord {
  const { camera_pk, camera_ref, site, peakCounts } = camera;
  const isFailing = isInOutage(camera.failures, time);
  const health = isFailing ? "False" : "True";
  const key = hash(hash(camera.key, number), COUNTS);
  const counts = isFailing ? NO_COUNTS : generateCounts(site.sceneType, peakCounts, key, start);
  return {
    id,
    camera_pk,
    camera_ref,
    timestamp: `${new Date(time * 1000).toISOString().slice(0, 19)}Z`,
    camera_ok: time < HEALTH_SINCE ? null : health,
    ...counts,
    model_name: "tf1",
  };
}

/** Compares in the reverse of the collection's order. */
function byAge(one: TrafficRecord, other: TrafficRecord): number {
  if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? -1 : 1;
  return one.camera_ref < other.camera_ref ? 1 : -1;
}

/** Seconds between the earliest and the latest capture time of a site within an interval. */
const JITTER = 10;

/**
 * When a site takes its images in an interval.
 * @returns whole seconds, never the first or the last one of the interval
 */
function getCaptureTime({ number, start, length }: Interval, { phase, key }: Site): number {
  const usual = Math.floor(phase * (length - 1 - JITTER));
  return start + 1 + usual + integer(JITTER, key, number);
}

/**
 * Creates the order in which the images of an interval are processed. Ids follow it, so inside one timestamp they are out of
 * order (specification, "List records", rule 3). Each interval starts with another camera.
 * @returns the rank of a camera in an interval, 0 .. cameras - 1
 */
function createRanks(cameras: number, seed: number): (interval: number, camera_pk: number) => number {
  const key = hash(seed, SEED_PARTS.order);
  // The golden ratio keeps the ranks of neighbours, and so of the cameras of a site, far apart.
  let stride = Math.ceil(cameras * 0.618);
  // No rank repeats if the stride is coprime to the number of cameras.
  while (greatestCommonDivisor(stride, cameras) > 1) stride += 1;
  return (interval, camera_pk) => (camera_pk * stride + integer(cameras, key, interval)) % cameras;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
