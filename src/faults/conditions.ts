import { getClientKey } from "../http/client-key.ts";
import type { PageRequest } from "../http/request.ts";
import { getLastValue } from "../http/request.ts";
import type { RuleNumber } from "./applied-options.ts";
import { toRange, UNIT_MS } from "./option-syntax.ts";
import type { OptionValue, OptionValues } from "./option-table.ts";
import { formatRules, getSharedOptions, type Rule } from "./rules.ts";
import type { State } from "./state.ts";

interface ConditionContext {
  request: PageRequest;
  /** The number of the requested page; undefined if no collection can have it. */
  page: number | undefined;
  findLastPage(): Promise<number>;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
  random(purpose: string): number;
  count: State["count"];
}

interface SelectedOptions {
  /** The options of the rule that applies, and those that belong to all rules. */
  active: OptionValues;
  /** The rule, if there are several. */
  rule?: RuleNumber | undefined;
  /** When the client may send more requests, if the rule has a rate. In milliseconds since 1970-01-01 UTC. */
  retryAt?: number | undefined;
}

/** Selects the first rule whose conditions are met. */
export async function selectRule(rules: Rule[], context: ConditionContext): Promise<SelectedOptions> {
  const shared = getSharedOptions(rules);
  const rates = countRates(rules, context);
  for (const [index, rule] of rules.entries()) {
    const { rate, times } = rule;
    const counted = rate && rates.get(rate.per);
    if (rate && counted && counted.count <= rate.requests) continue;
    if (!(await isMet(rule, index, context))) continue;
    // Last, so that only those requests count to which the rule would apply.
    if (times !== undefined && countEqual(rules, index, context) > times) continue;
    return {
      active: { ...rule, ...shared },
      rule: rules.length > 1 ? { number: index + 1, of: rules.length } : undefined,
      retryAt: counted?.endsAt,
    };
  }
  return { active: shared };
}

/** Whether the conditions of a rule are met that count nothing. */
async function isMet({ on, until, fail }: Rule, index: number, context: ConditionContext): Promise<boolean> {
  const { page, findLastPage, now, random } = context;
  if (on && !(await isOnPage(on, page, findLastPage))) return false;
  if (until && now >= until.getTime()) return false;
  // Each rule has its own random number. With the same one, equal shares would never get to the second rule.
  return fail === undefined || random(`fail ${index}`) < fail;
}

/** Counts the request of a client, also if it has no fault, once for each unit of the rates. */
function countRates(rules: Rule[], { request, now, count }: ConditionContext) {
  const units = new Set(rules.flatMap(({ rate }) => rate?.per ?? []));
  return new Map(
    Array.from(units, (unit) => {
      const key = `${getClientKey(request.c)} ${unit}`;
      return [unit, count(key, { now, durationMs: UNIT_MS[unit] })];
    }),
  );
}

/** Counts the requests for the same page with the same method, options and `run`, for each rule. */
function countEqual(rules: Rule[], index: number, { request, page, count }: ConditionContext): number {
  const run = getLastValue(request.query, "run");
  const key = [request.method, page, index, formatRules(rules), run].join(" ");
  return count(key).count;
}

async function isOnPage(
  pages: OptionValue<"on">,
  page: number | undefined,
  findLastPage: () => Promise<number>,
): Promise<boolean> {
  if (page === undefined) return false;
  for (const part of pages) {
    const { min, max } = toRange(part === "last" ? await findLastPage() : part);
    if (page >= min && page <= max) return true;
  }
  return false;
}
