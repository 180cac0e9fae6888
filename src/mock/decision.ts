import type { Place } from "../records/route.ts";
import { LAST_PAGE, type MockOptions, type Range } from "./options.ts";
import type { RandomSource } from "./request-key.ts";

/** The faults. `fail` limits all of them; a delay is not one of them. */
const FAULTS = ["code", "hang", "close", "body", "rows", "count", "next", "record"] as const;
export type Faults = Pick<MockOptions, (typeof FAULTS)[number]>;

/** Whether options name a fault. */
export function hasFault(options: MockOptions): boolean {
  return FAULTS.some((name) => options[name] !== undefined);
}

/** What the mock does to the response to a request. */
export interface Decision {
  /** Undefined if the response is not delayed. */
  delayMs?: number | undefined;
  /** The status of the error to respond with, 400 to 599; undefined keeps the real response. */
  status?: number | undefined;
  faults: Faults;
}

/** What decides about a request, apart from its options. */
interface Circumstances {
  /** Whether the page is one of `on`. */
  isTarget: boolean;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
  /** Counts the request, and returns how many there were, this one included. */
  count(): Promise<number>;
  random: RandomSource;
}

/** Decides about a request: `on`, `until` and `times` limit the delay and the faults, `fail` the faults only. */
export async function decide(
  options: MockOptions,
  { isTarget, now, count, random }: Circumstances,
): Promise<Decision> {
  const { until, times, fail, delay } = options;
  const isInTime = until === undefined || now < until;
  const isAimed = isTarget && isInTime && (times === undefined || (await count()) <= times);
  if (!isAimed) return { faults: {} };
  const isHit = fail === undefined || (await random("fail")) < fail;
  const faults = isHit ? chooseFaults(options) : {};
  return {
    delayMs: delay && pickFrom(delay, await random("delay")),
    status: faults.close ? undefined : (faults.code ?? (faults.hang && 503)),
    faults,
  };
}

/** @param random from 0 up to but not including 1 */
function pickFrom({ min, max }: Range, random: number): number {
  return min + Math.floor(random * (max - min + 1));
}

/** The faults that a request asks for, or 503 if it only limits them. A delay needs no fault, but `fail` does. */
function chooseFaults(options: MockOptions): Faults {
  const asked = FAULTS.filter((name) => options[name] !== undefined);
  if (asked.length > 0) return Object.fromEntries(asked.map((name) => [name, options[name]]));
  const { on, until, times, fail, delay } = options;
  const isLimited = delay === undefined && (on ?? until ?? times) !== undefined;
  return isLimited || fail !== undefined ? { code: 503 } : {};
}

/** Whether the requested page is one of those that `on` names. */
export function isOnTarget(pages: Range[], place: Place | undefined): boolean {
  if (place === undefined || place.number > place.pages) return false;
  if (place.number === place.pages && pages.includes(LAST_PAGE)) return true;
  return pages.some(({ min, max }) => place.number >= min && place.number <= max);
}
