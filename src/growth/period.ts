import { INTERVAL } from "../generator/records.ts";

/** Milliseconds of a slot, in which each camera is observed once. Slots begin with the hour and the half hour. */
export const SLOT_MS = INTERVAL * 60_000;

/** How far back missed runs are made up for: a collection that ended longer ago goes on from now, with a gap. */
const MADE_UP_MS = 24 * 60 * 60_000;

/**
 * Slots that one run adds at most. The free plan gives a run 10 ms of CPU: in a new instance the first slot takes 6 to 7,
 * each further one 1 to 2.
 */
export const SLOTS_A_RUN = 2;

/** The first moment of whole slots, and the first moment after them. */
export interface Slots {
  from: Date;
  to: Date;
}

/**
 * The slots that a run adds: those behind the newest record that have ended.
 * @param newest timestamp of the newest record that is loaded; null if there is none
 * @param now when the run was due
 * @returns undefined if there is none to add
 */
export function nextSlots(newest: string | null, now: Date): Slots | undefined {
  const end = floorToSlot(now.getTime());
  const behind = newest === null ? Number.NEGATIVE_INFINITY : floorToSlot(Date.parse(newest)) + SLOT_MS;
  const from = behind < end - MADE_UP_MS ? end - SLOT_MS : behind;
  if (from >= end) return undefined;
  return { from: new Date(from), to: new Date(Math.min(end, from + SLOTS_A_RUN * SLOT_MS)) };
}

function floorToSlot(time: number): number {
  return Math.floor(time / SLOT_MS) * SLOT_MS;
}
