import { type Growth, UNIT_MS } from "./option-syntax.ts";
import type { SharedOptions } from "./rules.ts";

const DAY_MS = 86_400_000;

/** Creates the function that returns how many of the newest records the options hide. Returns undefined if they hide none. */
export function createCountHidden({ grow }: SharedOptions, time: number) {
  return grow === undefined ? undefined : createGrowth(grow, time);
}

/**
 * Creates the function that returns how many of the newest records `grow` hides at a time. At the start, about half of the records are
 * hidden, but at most one day of growth. When all records are visible, the growth starts over. The number of hidden records depends only
 * on the time, so that all instances hide the same records.
 */
export function createGrowth({ records, per }: Growth, time: number): (total: number) => number {
  const interval = UNIT_MS[per] / records;
  return (total) => {
    const steps = Math.min(Math.floor(total / 2), Math.floor(DAY_MS / interval));
    return steps === 0 ? 0 : steps - 1 - (Math.floor(time / interval) % steps);
  };
}
