import { getClientKey } from "../http/client-key.ts";
import { getLastValue, type PageRequest } from "../http/request.ts";
import type { AppliedOptions } from "./applied-options.ts";
import { formatOptionValue, type TimeUnit, toRange, UNIT_MS } from "./option-syntax.ts";
import type { OptionValue, OptionValues } from "./option-table.ts";
import { formatRules, getSharedOptions, type Rule } from "./rules.ts";
import type { Period, State } from "./state.ts";

interface ConditionContext {
  request: PageRequest;
  /** The number of the requested page; undefined if the parameter is invalid, such as 0 or x. */
  page: number | undefined;
  /** The number of the last page; undefined if neither the request nor a rule names the last page. */
  lastPage: number | undefined;
  /** In milliseconds since 1970-01-01 UTC. */
  receivedAt: number;
  /** Draws a random number from 0 to below 1. */
  draw(purpose: string): number;
  countRequest: State["countRequest"];
}

interface ChosenRule extends Pick<AppliedOptions, "rule" | "unmet"> {
  /** The options of the rule that applies, and those that belong to all rules. */
  options: OptionValues;
  /** When the client may send more requests, if the rule has a rate. In milliseconds since 1970-01-01 UTC. */
  retryAt?: number | undefined;
}

/** Chooses the first rule whose conditions are met. */
export function chooseRule(rules: Rule[], context: ConditionContext): ChosenRule {
  const { request, page } = context;
  const shared = getSharedOptions(rules);
  // Parallel tests have different values of `run`, so that they do not count each other's requests.
  const run = getLastValue(request.query, "run");
  const sent = countSentRequests(rules, context, run);
  const requestKey = JSON.stringify(["times", request.method, page, formatRules(rules), run]);
  const unmet: ChosenRule["unmet"] = [];
  for (const [index, rule] of rules.entries()) {
    const period = rule.rate === undefined ? undefined : sent.get(rule.rate.per);
    const condition = findUnmet(rule, { ...context, index, period, requestKey });
    if (condition === undefined)
      return {
        options: { ...rule, ...shared },
        rule: rules.length > 1 ? { number: index + 1, of: rules.length } : undefined,
        unmet,
        retryAt: period?.endsAt,
      };
    unmet.push({ name: condition, value: formatOptionValue(rule[condition]) });
  }
  return { options: shared, unmet };
}

/** Counts the request for its client, whether it gets a fault or not, once for each unit of the rates. */
function countSentRequests(rules: Rule[], context: ConditionContext, run: string | null) {
  const { request, receivedAt, countRequest } = context;
  const periods = new Map<TimeUnit, Period>();
  const units = new Set(rules.flatMap(({ rate }) => (rate ? [rate.per] : [])));
  for (const unit of units) {
    const key = JSON.stringify(["rate", unit, getClientKey(request.c), run]);
    periods.set(unit, countRequest(key, { now: receivedAt, durationMs: UNIT_MS[unit] }));
  }
  return periods;
}

interface RuleContext extends ConditionContext {
  /** The current second, minute or hour of the client, with its requests, if the rule has a rate. */
  period: Period | undefined;
  index: number;
  /** The same for all requests that `times` counts together. */
  requestKey: string;
}

/** Finds the first condition of a rule that is not met, if there is one. */
function findUnmet({ rate, on, until, fail, times }: Rule, context: RuleContext): keyof Rule | undefined {
  const { page, lastPage, receivedAt, draw, countRequest, index, period, requestKey } = context;
  if (rate && period && period.count <= rate.requests) return "rate";
  if (on && !isOnPage(on, page, lastPage)) return "on";
  if (until && receivedAt >= until.getTime()) return "until";
  // Each rule draws a number of its own. With one for all, a second rule with the same share would never apply.
  if (fail !== undefined && draw(`fail ${index}`) >= fail) return "fail";
  // Last, so that only those requests count to which the rule would apply.
  if (times !== undefined && countRequest(`${requestKey} ${index}`).count > times) return "times";
  return undefined;
}

function isOnPage(pages: OptionValue<"on">, page: number | undefined, lastPage: number | undefined): boolean {
  if (page === undefined) return false;
  return pages.some((part) => {
    if (part === "last") return page === lastPage;
    const { min, max } = toRange(part);
    return page >= min && page <= max;
  });
}
