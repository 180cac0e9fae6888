import type { Growth } from "./option-values.ts";

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 };
const DAY_MS = 86_400_000;

/**
 * How many records a collection that grows by the clock shows. It begins with half of what is loaded, or with what is
 * missing for a day of growth if that is more, grows until everything is shown, and then begins again. This depends on
 * nothing but the time, so every instance shows the same.
 * @param total how many records are loaded
 * @param now milliseconds since 1970-01-01 UTC
 */
export function countShown(total: number, { records, unit }: Growth, now: number): number {
  const interval = UNIT_MS[unit] / records;
  const steps = Math.min(Math.floor(total / 2), Math.floor(DAY_MS / interval));
  if (steps === 0) return total;
  return total - steps + 1 + (Math.floor(now / interval) % steps);
}
