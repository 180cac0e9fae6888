import type { PageLocation } from "../records/page.ts";
import type { RuleNumber } from "./applied-options.ts";
import { toRange } from "./option-syntax.ts";
import type { OptionValue, OptionValues } from "./option-table.ts";
import type { RandomSource } from "./random.ts";
import type { RequestCounters } from "./request-counter.ts";
import { getSharedOptions, type Rule } from "./rules.ts";

interface ConditionContext {
  /** Locates the requested page, without reading a record. Returns undefined if the collection does not have the page. */
  locatePage(): Promise<PageLocation | undefined>;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
  random: RandomSource;
  counts: ReturnType<RequestCounters["forRequest"]>;
}

/** The options that take effect. No condition applies to those that belong to all rules. */
interface SelectedOptions {
  active: OptionValues;
  /** The rule that they come from, if there are several. */
  rule?: RuleNumber | undefined;
}

/** Selects the first rule whose conditions are met. If only the condition `fail` is not, a rule still delays, unless another one applies. */
export async function selectRule(rules: Rule[], context: ConditionContext): Promise<SelectedOptions> {
  const shared = getSharedOptions(rules);
  const checks = createChecks(rules, context);
  const select = (options: OptionValues, index: number): SelectedOptions => ({
    active: { ...options, ...shared },
    rule: rules.length > 1 ? { number: index + 1, of: rules.length } : undefined,
  });
  let delayed: SelectedOptions | undefined;
  for (const [index, rule] of rules.entries()) {
    if (!(await checks.canApply(rule, index))) continue;
    if (checks.isChosen(rule, index)) return select(rule, index);
    const { delay, on, until, rate, times } = rule;
    delayed ??= select({ delay, on, until, rate, times }, index);
  }
  return delayed ?? { active: shared };
}

function createChecks(rules: Rule[], { locatePage, now, random, counts }: ConditionContext) {
  // A client's rate includes its requests without a fault. Rules with the same unit share the count.
  const units = new Set(rules.flatMap(({ rate }) => rate?.per ?? []));
  const rates = new Map(Array.from(units, (unit) => [unit, counts.countOfClient(unit)]));
  let location: ReturnType<typeof locatePage> | undefined;
  return {
    /** Whether all conditions of a rule are met but, perhaps, `fail`. */
    async canApply({ on, until, rate, times }: Rule, index: number): Promise<boolean> {
      if (rate !== undefined && Number(rates.get(rate.per)) <= rate.requests) return false;
      if (on !== undefined) {
        location ??= locatePage();
        if (!isOnPage(on, await location)) return false;
      }
      if (until !== undefined && now >= until.getTime()) return false;
      return times === undefined || counts.countEqual(index) <= times;
    },
    /** Each rule has its own random number. With the same one, equal shares would never get to the second rule. */
    isChosen({ fail }: Rule, index: number): boolean {
      const purpose = index === 0 ? "fail" : `fail ${index}`;
      return fail === undefined || random(purpose) < fail;
    },
  };
}

function isOnPage(pages: OptionValue<"on">, location: PageLocation | undefined): boolean {
  if (location === undefined) return false;
  return pages.some((part) => {
    const { min, max } = toRange(part === "last" ? location.lastPage : part);
    return location.number >= min && location.number <= max;
  });
}
