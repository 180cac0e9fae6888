import type { PageLocation } from "../records/page.ts";
import { type TimeUnit, toRange } from "./option-syntax.ts";
import type { OptionValue, OptionValues } from "./option-table.ts";
import type { RandomSource } from "./random.ts";

export interface ConditionContext {
  /** Locates the requested page, without reading a record. Returns undefined if the collection does not have the page. */
  locatePage(): Promise<PageLocation | undefined>;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
  random: RandomSource;
  /** Counts the request. Returns the number of equal requests so far, including this one. */
  countEqual(): number;
  /** Counts the request. Returns the number of requests of its client in this second, minute or hour, including this one. */
  countOfClient(unit: TimeUnit): number;
}

/** Selects the options that take effect. No condition applies to `grow`, and `fail` does not apply to `delay`. */
export async function selectActiveOptions(
  values: OptionValues,
  { locatePage, now, random, countEqual, countOfClient }: ConditionContext,
): Promise<OptionValues> {
  const { grow, delay, on, until, rate, times, fail, seed } = values;
  // A client's rate includes its requests without a fault.
  const isBelowRate = rate !== undefined && countOfClient(rate.per) <= rate.requests;
  if (isBelowRate) return { grow };
  if (on !== undefined && !isOnPage(on, await locatePage())) return { grow };
  if (until !== undefined && now >= until.getTime()) return { grow };
  if (times !== undefined && countEqual() > times) return { grow };
  if (fail !== undefined && random("fail") >= fail) return { grow, delay, on, until, rate, times, seed };
  return values;
}

function isOnPage(pages: OptionValue<"on">, location: PageLocation | undefined): boolean {
  if (location === undefined) return false;
  return pages.some((part) => {
    const { min, max } = toRange(part === "last" ? location.pages : part);
    return location.number >= min && location.number <= max;
  });
}
