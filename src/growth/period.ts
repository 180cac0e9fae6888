import { DEFAULT_INTERVAL_MINUTES } from "../generator/records.ts";

/** Milliseconds of an interval, in which each camera is observed once. Intervals start at the hour and the half hour. */
export const INTERVAL_MS = DEFAULT_INTERVAL_MINUTES * 60_000;

/** Runs add missed intervals up to this age. If the collection ended earlier, only the last interval is added. */
const MAX_CATCH_UP_MS = 24 * 60 * 60_000;

/**
 * The most intervals that one run adds, because the free plan gives a run 10 ms of CPU time. In an instance that had run before, the
 * worker and D1 together took 7 ms for one interval and 10 ms for two.
 */
export const MAX_INTERVALS_PER_RUN = 2;

/** A period of whole intervals. */
export interface Period {
  from: Date;
  /** Not included. */
  to: Date;
}

/**
 * The intervals that a run adds: those after the newest record that have ended.
 * @param newest timestamp of the newest loaded record; null if there is none
 * @param now when the run was due
 * @returns undefined if there is no interval to add
 */
export function nextPeriod(newest: string | null, now: Date): Period | undefined {
  const end = floorToInterval(now.getTime());
  const after =
    newest === null ? Number.NEGATIVE_INFINITY : floorToInterval(Date.parse(newest)) + INTERVAL_MS;
  const from = after < end - MAX_CATCH_UP_MS ? end - INTERVAL_MS : after;
  if (from >= end) return undefined;
  return { from: new Date(from), to: new Date(Math.min(end, from + MAX_INTERVALS_PER_RUN * INTERVAL_MS)) };
}

function floorToInterval(time: number): number {
  return Math.floor(time / INTERVAL_MS) * INTERVAL_MS;
}
