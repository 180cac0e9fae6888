import { hash, uniform } from "./random.ts";

/**
 * A schedule of outages of a camera, each some hours long. Time is divided into windows and each window may contain one
 * outage, so that whether a moment is in an outage does not depend on other moments.
 */
export interface OutageSchedule {
  /** Two keys have independent outages. */
  key: number;
  /** Seconds. */
  window: number;
  /** Share of windows that contain an outage, 0 .. 1. */
  chance: number;
  /** Seconds, at most `window`. */
  shortest: number;
  longest: number;
}

const OFFSET = 0;
const WINDOWS = 1;

const CHANCE = 0;
const LENGTH = 1;
const START = 2;

/** @param time whole seconds since 1970-01-01 UTC, 0 or more */
export function isInOutage(schedule: OutageSchedule, time: number): boolean {
  if (schedule.chance === 0) return false;
  // Each key has its own window borders. Otherwise, all cameras would change at the same moments.
  const shifted = time + (hash(schedule.key, OFFSET) % schedule.window);
  const key = hash(hash(schedule.key, WINDOWS), Math.floor(shifted / schedule.window));
  if (uniform(key, CHANCE) >= schedule.chance) return false;
  const length = schedule.shortest + (schedule.longest - schedule.shortest) * uniform(key, LENGTH);
  const start = (schedule.window - length) * uniform(key, START);
  const position = shifted % schedule.window;
  return position >= start && position < start + length;
}
