import { type TimeUnit, UNIT_MS } from "./option-syntax.ts";

/** Returns the second, minute or hour around a time. Its end is the start of the next one. */
export function getWindow(unit: TimeUnit, time: number): { start: number; end: number } {
  const length = UNIT_MS[unit];
  const start = Math.floor(time / length) * length;
  return { start, end: start + length };
}
