import type { AppContext } from "../bindings.ts";
import type { PageRequest } from "../http/page-request.ts";
import { setApplied } from "./applied-options.ts";
import { breakBody } from "./body-faults.ts";
import { selectRule } from "./conditions.ts";
import { isCacheable, setFaultHeaders } from "./fault-headers.ts";
import type { FaultOptions } from "./fault-options.ts";
import { createFaultResponse, type Route } from "./fault-response.ts";
import { createCountHidden } from "./growth.ts";
import { createRandom } from "./random.ts";
import { createRequestCounters, getPageKey, type RequestCounters } from "./request-counter.ts";
import { getSharedOptions, type Rule } from "./rules.ts";
import { createSlots, type DelayLimits, type Slots, WORKER_LIMITS } from "./slots.ts";
import { waitInSlot } from "./wait.ts";

/** What the requests to a service share. */
interface ServiceState {
  counters: RequestCounters;
  acquireSlot: Slots["acquireSlot"];
  getDelayLimits: GetDelayLimits;
  /** The clock of faults, in milliseconds since 1970-01-01 UTC. */
  now(): number;
}

/** Returns the limits for the wait of a request. */
export type GetDelayLimits = (c: AppContext) => DelayLimits;

export type Faults = ReturnType<typeof createFaults>;

/** Creates the faults of a service. Their clock is in milliseconds since 1970-01-01 UTC. */
export function createFaults(now: () => number, getDelayLimits: GetDelayLimits = () => WORKER_LIMITS) {
  const { acquireSlot, endWaits } = createSlots();
  const state: ServiceState = { counters: createRequestCounters(), acquireSlot, getDelayLimits, now };
  return {
    respondWithFaults: (request: PageRequest, options: FaultOptions, route: Route) =>
      respondWithFaults(state, request, options, route),
    getCountHidden: (rules: Rule[]) => createCountHidden(getSharedOptions(rules), now()),
    /** Resets the counters of `times` and `rate`. */
    reset: state.counters.reset,
    /** Closes the connections of all responses that wait. */
    endWaits,
  };
}

/** Responds in this order: the rule that applies, wait, error or served page, changes of the body, headers. */
async function respondWithFaults(
  { counters, acquireSlot, getDelayLimits, now }: ServiceState,
  request: PageRequest,
  options: FaultOptions,
  route: Route,
): Promise<Response> {
  const { c } = request;
  const { rules, isFromClient } = options;
  const sharedOptions = getSharedOptions(rules);
  const receivedAt = now();
  const random = createRandom(sharedOptions.seed, getPageKey(request));
  const countHidden = createCountHidden(sharedOptions, receivedAt);

  const selected = await selectRule(rules, {
    locatePage: () => route.locate(request, { countHidden }),
    now: receivedAt,
    random,
    counts: counters.forRequest(request, rules, receivedAt),
  });
  const limits = getDelayLimits(c);
  const waited = await waitInSlot(c, selected.active, { acquireSlot, limits, isFromClient, random });
  const { active, bodyMs, slot } = waited;
  try {
    const canBeCached = isCacheable(active, options);
    const { response, applied } = await createFaultResponse(request, active, {
      route,
      serveOptions: { countHidden, ignoresCopy: !canBeCached },
      random,
      times: { receivedAt, respondedAt: now() },
    });
    setApplied(c.req.raw, { ...applied, rule: selected.rule });
    // From here on, a slow body has the slot, and releases it at its end.
    const sent = await breakBody(response, applied.values.body, { slowMs: bodyMs, slot });
    const warnings = [...options.warnings, ...waited.warnings];
    setFaultHeaders(sent, applied.values, { warnings, canBeCached });
    return sent;
  } catch (error) {
    slot.release();
    throw error;
  }
}
