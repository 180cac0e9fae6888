import { hashString } from "../hash.ts";
import type { PageRequest } from "../http/request.ts";
import { noteApplied } from "./applied-options.ts";
import { breakBody } from "./body-faults.ts";
import { selectRule } from "./conditions.ts";
import type { FaultOptions } from "./fault-options.ts";
import { createResponse, type Route, type ServeOptions, setFaultHeaders } from "./fault-response.ts";
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
  let lastPage: Promise<number> | undefined;
  const findLastPage = () => {
    lastPage ??= route.findLastPage(request, { countHidden });
    return lastPage;
  };
  // For `on`, `times` and `seed`, `page=last` is the same page as its number.
  const page = request.page === "last" ? await findLastPage() : request.page;
  const random = createRandom(seed, page);

  const context = { request, page, findLastPage, now: receivedAt, random, count: state.count };
  const { active, retryAt, ...selected } = await selectRule(rules, context);
  // Noted before the wait, because a client can leave while it lasts.
  noteApplied(c, { ...selected, source, values: active, changes: [] });
  const waited = await wait(c, active, { slots, random });
  const isClosed = active.close === true || waited.slot?.signal.aborted === true;
  const serve = (options: ServeOptions) => route.serve(request, { countHidden, ...options });
  const faults = waited.isRefused ? withoutWait(active) : active;
  const responseContext = { serve, isClosed, random, retryAt, now: now() };
  const { response, ...applied } = await createResponse(request, faults, responseContext);
  noteApplied(c, { ...selected, source, ...applied, isClosed });
  const sent = await breakBody(response, applied.values.body, waited);
  const allWarnings = waited.isRefused ? [...warnings, slots.warning] : warnings;
  setFaultHeaders(sent, applied, { warnings: allWarnings, source });
  return sent;
}

/** Removes the options that only take time. `hang` stays: without its wait, it is a 503 at once. */
function withoutWait(values: OptionValues): OptionValues {
  const body = values.body === "slow" ? undefined : values.body;
  return { ...values, delay: undefined, body };
}

/** Creates the random numbers of a request, from 0 to below 1. With a seed, they depend only on the seed, the purpose and the page. */
function createRandom(seed: number | undefined, page: number | undefined): (purpose: string) => number {
  if (seed === undefined) return Math.random;
  return (purpose) => hashString(`${seed} ${purpose} ${page}`) / 2 ** 53;
}
