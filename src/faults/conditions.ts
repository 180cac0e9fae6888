import { getClientKey } from "../http/client-key.ts";
import { getLastValue, type PageRequest } from "../http/request.ts";
import type { AppliedOptions } from "./applied-options.ts";
import { formatOptionValue, toRange, UNIT_MS } from "./option-syntax.ts";
import type { OptionValue, OptionValues } from "./option-table.ts";
import type { Preference } from "./prefer-header.ts";
import { formatRules, getSharedOptions, type Rule } from "./rules.ts";
import type { State } from "./state.ts";

interface ConditionContext {
  request: PageRequest;
  /** The number of the requested page; undefined if no collection can have it. */
  page: number | undefined;
  /** The number of the last page; undefined if neither the request nor a rule names the last page. */
  lastPage: number | undefined;
  /** In milliseconds since 1970-01-01 UTC. */
  receivedAt: number;
  /** Draws a random number from 0 to below 1. */
  draw(purpose: string): number;
  countRequest: State["countRequest"];
}

interface SelectedRule extends Pick<AppliedOptions, "rule" | "unmet"> {
  /** The options of the rule that applies, and those that belong to all rules. */
  options: OptionValues;
  /** When the client may send more requests, if the rule has a rate. In milliseconds since 1970-01-01 UTC. */
  retryAt?: number | undefined;
}

/** Selects the first rule whose conditions are met. */
export function selectRule(rules: Rule[], context: ConditionContext): SelectedRule {
  const shared = getSharedOptions(rules);
  const rates = countRates(rules, context);
  const unmet: Preference[] = [];
  for (const [index, rule] of rules.entries()) {
    const counted = rule.rate === undefined ? undefined : rates.get(rule.rate.per);
    const condition = findUnmet(rule, { ...context, rules, index, counted });
    if (condition === undefined)
      return {
        options: { ...rule, ...shared },
        rule: rules.length > 1 ? { number: index + 1, of: rules.length } : undefined,
        unmet,
        retryAt: counted?.endsAt,
      };
    unmet.push({ name: condition, value: formatOptionValue(rule[condition]) });
  }
  return { options: shared, unmet };
}

interface RuleContext extends ConditionContext {
  rules: Rule[];
  index: number;
  /** How many requests the client has sent, if the rule has a rate. */
  counted: ReturnType<State["countRequest"]> | undefined;
}

/** Finds the first condition of a rule that is not met, if there is one. */
function findUnmet(rule: Rule, context: RuleContext): keyof Rule | undefined {
  const { rate, on, until, fail, times } = rule;
  const { index, page, lastPage, receivedAt, draw, counted } = context;
  if (rate && counted && counted.count <= rate.requests) return "rate";
  if (on && !isOnPage(on, page, lastPage)) return "on";
  if (until && receivedAt >= until.getTime()) return "until";
  // Each rule has its own random number. With the same one, equal shares would never get to the second rule.
  if (fail !== undefined && draw(`fail ${index}`) >= fail) return "fail";
  // Last, so that only those requests count to which the rule would apply.
  if (times !== undefined && countSameRequests(context) > times) return "times";
  return undefined;
}

/** Counts the request for its client, whether it gets a fault or not, once for each unit of the rates. */
function countRates(rules: Rule[], { request, receivedAt, countRequest }: ConditionContext) {
  const units = new Set(rules.flatMap(({ rate }) => rate?.per ?? []));
  return new Map(
    Array.from(units, (unit) => {
      const key = `${getClientKey(request.c)} ${unit}`;
      return [unit, countRequest(key, { now: receivedAt, durationMs: UNIT_MS[unit] })];
    }),
  );
}

/** Counts the request. Only requests for the same page with the same method, options and `run` count together, for each rule apart. */
function countSameRequests({ rules, index, request, page, countRequest }: RuleContext): number {
  const run = getLastValue(request.query, "run");
  const key = [request.method, page, index, formatRules(rules), run].join(" ");
  return countRequest(key).count;
}

function isOnPage(pages: OptionValue<"on">, page: number | undefined, lastPage: number | undefined): boolean {
  if (page === undefined) return false;
  return pages.some((part) => {
    if (part === "last") return page === lastPage;
    const { min, max } = toRange(part);
    return page >= min && page <= max;
  });
}
