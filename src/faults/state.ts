import { hashString } from "../hash.ts";
import { createLru } from "../lru.ts";
import { type Growth, UNIT_MS } from "./option-syntax.ts";

const MAX_COUNTS = 10_000;

const DAY_MS = 86_400_000;

/** A number of requests in a time, which began with the first of them. Both ends are in milliseconds since 1970-01-01 UTC. */
export interface Period {
  count: number;
  startsAt: number;
  endsAt: number;
}

export type State = ReturnType<typeof createState>;

/** Creates what the requests of an instance share: the counts of `times` and `rate`, and when `grow` began. */
export function createState() {
  // A key can be as long as a URL, so its hash is stored. The least recently used count is forgotten first.
  const counts = createLru<number, Period>(MAX_COUNTS);
  // In 1970, so that all instances of a worker, which nothing resets, hide the same records.
  let growsSince = 0;
  return {
    /** Counts a request. By default, the count never ends. */
    countRequest(key: string, { now = 0, durationMs = Number.POSITIVE_INFINITY } = {}): Period {
      const hash = hashString(key);
      const previous = counts.get(hash);
      // Both ends are checked, because a test can turn back its clock.
      const isCurrent = previous && previous.startsAt <= now && now < previous.endsAt;
      const current = isCurrent
        ? { ...previous, count: previous.count + 1 }
        : { count: 1, startsAt: now, endsAt: now + durationMs };
      counts.set(hash, current);
      return current;
    },
    /**
     * Returns how many of the newest records are hidden at a time. In the beginning, about half of them are, but at most one day of growth.
     * When all records are visible, the growth starts over.
     */
    countHidden({ records, per }: Growth, { total, now }: { total: number; now: number }): number {
      const interval = UNIT_MS[per] / records;
      const steps = Math.min(Math.floor(total / 2), Math.floor(DAY_MS / interval));
      if (steps === 0) return 0;
      // A test can turn back its clock. Then the growth begins anew, or it would stand still until that time is over.
      growsSince = Math.min(growsSince, now);
      const grown = Math.floor((now - growsSince) / interval);
      // The last step hides nothing.
      return steps - 1 - (grown % steps);
    },
    /** Forgets all counts, and begins the growth at a time. */
    reset(now: number): void {
      counts.clear();
      growsSince = now;
    },
  };
}
