import { hashString } from "../hash.ts";
import type { PageRequest } from "../http/request.ts";
import { noteApplied } from "./applied-options.ts";
import { breakBody } from "./body-faults.ts";
import { selectRule } from "./conditions.ts";
import type { FaultOptions } from "./fault-options.ts";
import { createResponse, type Route, setFaultHeaders } from "./fault-response.ts";
import type { OptionValues } from "./option-table.ts";
import { getSharedOptions, type Rule } from "./rules.ts";
import { createSlots, type Slots } from "./slots.ts";
import { createState, type State } from "./state.ts";
import { wait } from "./wait.ts";

/** What the requests to a service share. */
interface Service {
  state: State;
  slots: Slots;
  /** The clock of faults, in milliseconds since 1970-01-01 UTC. */
  now(): number;
}

export type Faults = ReturnType<typeof createFaults>;

/**
 * Creates the faults of a service.
 * @param now Their clock, in milliseconds since 1970-01-01 UTC
 * @param maxDelayed How many responses may wait at a time
 */
export function createFaults(now: () => number, maxDelayed: number) {
  const state = createState();
  const slots = createSlots(maxDelayed);
  return {
    respondWithFaults: (request: PageRequest, options: FaultOptions, route: Route) =>
      respondWithFaults({ state, slots, now }, request, options, route),
    /** Counts the newest records that `grow` hides now. */
    countHidden(rules: Rule[], total: number): number {
      const { grow } = getSharedOptions(rules);
      return grow === undefined ? 0 : state.countHidden(grow, { total, now: now() });
    },
    /** Resets the counts of `times` and `rate`, and begins the growth of `grow`. */
    reset: () => state.reset(now()),
    /** Closes the connections of all responses that wait. */
    endWaits: slots.closeAll,
  };
}

/** Responds in this order: the rule that applies, wait, error or served page, changes of the body, headers. */
async function respondWithFaults(
  { state, slots, now }: Service,
  request: PageRequest,
  { rules, source, warnings }: FaultOptions,
  route: Route,
): Promise<Response> {
  const { c } = request;
  const receivedAt = now();
  const { grow, seed } = getSharedOptions(rules);
  const countHidden = grow && ((total: number) => state.countHidden(grow, { total, now: receivedAt }));
  const needsLastPage = request.page === "last" || rules.some(({ on }) => on?.includes("last"));
  const lastPage = needsLastPage ? await route.findLastPage(request, { countHidden }) : undefined;
  // For `on`, `times` and `seed`, `page=last` is the same page as its number.
  const page = request.page === "last" ? lastPage : request.page;
  const random = createRandom(seed, page);

  const context = { request, page, lastPage, now: receivedAt, random, count: state.count };
  const { options, rule, unmet, retryAt } = selectRule(rules, context);
  const origin = { source, rule, unmet };
  // Noted before the wait, because a client can leave while it lasts.
  noteApplied(c, { ...origin, options, changes: [] });
  const waited = await wait(c, options, { slots, random: random("delay") });
  const isRefused = waited.kind === "refused";
  const { response, effects } = await createResponse(request, isRefused ? withoutWait(options) : options, {
    serve: (asked) => route.serve(request, { countHidden, ...asked }),
    isInterrupted: waited.kind === "interrupted",
    random,
    retryAt,
    now: now(),
  });
  noteApplied(c, { ...origin, ...effects });
  const sent = await breakBody(response, effects.options.body, waited);
  const allWarnings = isRefused ? [...warnings, slots.warning] : warnings;
  setFaultHeaders(sent, effects, { source, warnings: allWarnings });
  return sent;
}

/** Removes the options that only take time. `hang` stays: without its wait, it is a 503 at once. */
function withoutWait(options: OptionValues): OptionValues {
  const body = options.body === "slow" ? undefined : options.body;
  return { ...options, delay: undefined, body };
}

/** Creates the random numbers of a request, from 0 to below 1. With a seed, they depend only on the seed, the purpose and the page. */
function createRandom(seed: number | undefined, page: number | undefined): (purpose: string) => number {
  if (seed === undefined) return Math.random;
  return (purpose) => hashString(`${seed} ${purpose} ${page}`) / 2 ** 53;
}
