import type { Mast } from "./masts.ts";
import { integer } from "./random.ts";
import { type Rhythm, rhythmAt } from "./rhythm.ts";

/** A stretch of time of one interval, in which each camera has at most one record. */
export interface Slot {
  /** Counted from the epoch, from 0. */
  number: number;
  /** Seconds since 1970-01-01 UTC. */
  start: number;
  /** Seconds. */
  length: number;
  rhythm: Rhythm;
}

/** 2019-01-01 UTC in seconds since 1970: slots, and with them ids, are counted from here. */
export const EPOCH = Date.UTC(2019, 0, 1) / 1000;

/** Seconds between the earliest and the latest that a mast takes its images, measured within the slot. */
const JITTER = 10;

/**
 * The slots that share a moment with the period `from` .. `to`, oldest first.
 *
 * @param from seconds since 1970-01-01 UTC, not before the epoch
 * @param to likewise: the first moment after the period
 * @param interval minutes
 */
export function* slots(from: number, to: number, interval: number): Generator<Slot, void> {
  const length = interval * 60;
  for (let number = Math.floor((from - EPOCH) / length); ; number++) {
    const start = EPOCH + number * length;
    if (start >= to) return;
    yield { number, start, length, rhythm: rhythmAt(start) };
  }
}

/** When a mast takes its images in a slot: whole seconds since 1970-01-01 UTC, never the slot's first or last one. */
export function captureTime({ number, start, length }: Slot, { phase, key }: Mast): number {
  const usual = Math.floor(phase * (length - 1 - JITTER));
  return start + 1 + usual + integer(JITTER, key, number);
}
