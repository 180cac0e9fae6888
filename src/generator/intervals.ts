import type { Site } from "./cameras.ts";
import { getHourlyProfile, type HourlyProfile } from "./counts.ts";
import { hash, integer, SEED_PARTS } from "./random.ts";

/** A span of time in which each camera has at most one record. */
export interface Interval {
  /** Counted from 0 at the epoch. */
  number: number;
  /** Seconds since 1970-01-01 UTC. */
  start: number;
  /** Seconds. */
  length: number;
  profile: HourlyProfile;
}

/** 2019-01-01 UTC in seconds since 1970. Intervals, and therefore ids, are counted from here. */
export const EPOCH = Date.UTC(2019, 0, 1) / 1000;

/**
 * Generates the intervals that overlap with a period, oldest first.
 *
 * @param from seconds since 1970-01-01 UTC, not before the epoch
 * @param to seconds since 1970-01-01 UTC, not included
 * @param minutes the length of an interval
 */
export function* generateIntervals(from: number, to: number, minutes: number): Generator<Interval, void> {
  const length = minutes * 60;
  for (let number = Math.floor((from - EPOCH) / length); ; number++) {
    const start = EPOCH + number * length;
    if (start >= to) return;
    yield { number, start, length, profile: getHourlyProfile(start) };
  }
}

/** Seconds between the earliest and the latest capture time of a site within an interval. */
const JITTER = 10;

/**
 * When a site takes its images in an interval.
 * @returns whole seconds since 1970-01-01 UTC, never the first or the last second of the interval
 */
export function getCaptureTime({ number, start, length }: Interval, { phase, key }: Site): number {
  const usual = Math.floor(phase * (length - 1 - JITTER));
  return start + 1 + usual + integer(JITTER, key, number);
}

/**
 * The order in which the images of an interval are processed. Ids follow it, so inside one timestamp they are out of order
 * (specification, "List records", rule 3).
 */
export interface ProcessingOrder {
  cameras: number;
  /** The distance between the ranks of two cameras in a row. It is coprime to `cameras`, so that no rank repeats. */
  stride: number;
  key: number;
}

/** @param cameras 1 or more */
export function createProcessingOrder(cameras: number, seed: number): ProcessingOrder {
  // The golden ratio keeps the ranks of neighbours, and so of the cameras of a site, far apart.
  let stride = Math.ceil(cameras * 0.618);
  while (greatestCommonDivisor(stride, cameras) > 1) stride += 1;
  return { cameras, stride, key: hash(seed, SEED_PARTS.order) };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/**
 * The rank of a camera in an interval. Each interval starts with another camera.
 * @returns 0 .. cameras - 1
 */
export function getProcessingRank(
  { cameras, stride, key }: ProcessingOrder,
  interval: number,
  camera_pk: number,
): number {
  return (camera_pk * stride + integer(cameras, key, interval)) % cameras;
}
