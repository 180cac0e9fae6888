import type { AppContext } from "../bindings.ts";
import { getClientKey } from "../http/client-key.ts";
import { respondWithError } from "../http/error-response.ts";
import type { PageRequest } from "../http/page-request.ts";
import type { PageLocation } from "../records/page.ts";
import { addConditions, setApplied } from "./applied-options.ts";
import { breakBody, createClosedResponse, listBodyChanges, replacesBody } from "./body-faults.ts";
import { type ConditionContext, type SelectedOptions, selectRule } from "./conditions.ts";
import { isCacheable, setFaultHeaders } from "./fault-headers.ts";
import type { FaultOptions } from "./fault-options.ts";
import { createGrowth } from "./growth.ts";
import type { OptionValues } from "./option-table.ts";
import { type BodyChange, changePage, changesPage } from "./page-faults.ts";
import { createRandom, type RandomSource } from "./random.ts";
import { createRequestCounters, getPageKey, getRequestKey } from "./request-counter.ts";
import { createRequestedError, isRetryable, type RequestTimes } from "./requested-error.ts";
import { formatRules, getSharedOptions, type Rule, type SharedOptions } from "./rules.ts";
import { createSlots, type DelayLimits, type Slots, WORKER_LIMITS } from "./slots.ts";
import { waitInSlot } from "./wait.ts";

/** What faults ask of the route. */
export interface ServeOptions {
  /** Returns how many of the newest records are hidden, given the number of all. By default, none are. */
  countHidden?: ((count: number) => number) | undefined;
  /** Whether the response is the page even if the client has a current copy. */
  ignoresCopy?: boolean;
}

/** How the route responds to requests without faults. */
export interface Route {
  serve(request: PageRequest, options: ServeOptions): Promise<Response>;
  /** Locates the requested page, without reading a record. Returns undefined if the collection does not have the page. */
  locate(request: PageRequest, options: ServeOptions): Promise<PageLocation | undefined>;
}

/** What the requests to a service share. */
interface SharedState {
  counters: ReturnType<typeof createRequestCounters>;
  acquireSlot: Slots["acquireSlot"];
  getDelayLimits: GetDelayLimits;
  /** The clock of faults, in milliseconds since 1970-01-01 UTC. */
  now(): number;
}

/** Returns how many responses may wait, for a request. */
export type GetDelayLimits = (c: AppContext) => DelayLimits;

export type Faults = ReturnType<typeof createFaults>;

/** Creates the faults of a service. Their clock is in milliseconds since 1970-01-01 UTC. */
export function createFaults(now: () => number, getDelayLimits: GetDelayLimits = () => WORKER_LIMITS) {
  const { acquireSlot, endWaits } = createSlots();
  const shared: SharedState = { counters: createRequestCounters(), acquireSlot, getDelayLimits, now };
  return {
    respondWithFaults: (request: PageRequest, options: FaultOptions, route: Route) =>
      respondWithFaults(shared, request, options, route),
    createCountHidden: (rules: Rule[]) => createCountHidden(getSharedOptions(rules), now()),
    /** Resets the counters of `times` and `rate`. */
    reset: shared.counters.reset,
    /** Closes the connections of all responses that wait. */
    endWaits,
  };
}

/** Creates the function that returns how many of the newest records the options hide. Returns undefined if they hide none. */
function createCountHidden({ grow }: SharedOptions, now: number): ServeOptions["countHidden"] {
  return grow === undefined ? undefined : createGrowth(grow, now);
}

/** Responds in this order: the rule that applies, wait, error or served page, changes of the body, headers. */
async function respondWithFaults(
  shared: SharedState,
  request: PageRequest,
  options: FaultOptions,
  route: Route,
): Promise<Response> {
  const { c } = request;
  const receivedAt = shared.now();
  const { grow, seed } = getSharedOptions(options.rules);
  const random = createRandom(seed, getPageKey(request));
  const countHidden = createCountHidden({ grow }, receivedAt);
  const selected = await select(shared, request, options.rules, {
    now: receivedAt,
    random,
    locatePage: () => route.locate(request, { countHidden }),
  });
  const { acquireSlot } = shared;
  const limits = shared.getDelayLimits(c);
  const { isFromClient } = options;
  const waited = await waitInSlot(c, selected.active, { acquireSlot, limits, isFromClient, random });
  const { active, bodyMs, slot } = waited;
  try {
    const canBeCached = isCacheable(active, options);
    const serve = () => serveWithErrors(request, route, { countHidden, ignoresCopy: !canBeCached });
    const times = { receivedAt, now: shared.now() };
    const { response, applied, changes } = await createResponse(request, active, { serve, random, times });
    const allChanges = [...changes, ...listBodyChanges(applied.body)];
    setApplied(c.req.raw, { values: applied, rule: selected.rule, changes: allChanges });
    const sent = await breakBody(response, applied.body, { slowMs: bodyMs, slot });
    const warnings = [...options.warnings, ...waited.warnings];
    setFaultHeaders(sent, applied, { warnings, canBeCached });
    return sent;
  } catch (error) {
    slot.release();
    throw error;
  }
}

function select(
  { counters }: SharedState,
  request: PageRequest,
  rules: Rule[],
  context: Pick<ConditionContext, "now" | "random" | "locatePage">,
): Promise<SelectedOptions> {
  let key: string | undefined;
  return selectRule(rules, {
    ...context,
    countEqual(rule) {
      key ??= getRequestKey(request, formatRules(rules));
      return counters.countEqual(key, rule);
    },
    countOfClient: (unit) => counters.countOfClient(getClientKey(request.c), unit, context.now),
  });
}

interface ResponseContext {
  serve(): Promise<Response>;
  random: RandomSource;
  times: RequestTimes;
}

/**
 * Closes the connection, responds with the requested error, or serves the request and changes the page.
 * @returns The response before its body is broken, the options that affect it, and the changes of a page
 */
async function createResponse(
  { c, method }: PageRequest,
  active: OptionValues,
  { serve, random, times }: ResponseContext,
): Promise<{ response: Response; applied: OptionValues; changes: BodyChange[] }> {
  const { code, delay, body, hang, close, grow } = active;
  const respond = (response: Response, effects: OptionValues) => ({
    response,
    applied: addConditions(effects, active),
    changes: [],
  });
  if (close) return respond(createClosedResponse(), { delay, hang, close });
  if (code !== undefined || hang) {
    const error = createRequestedError(active, method, times);
    const retryAfter = isRetryable(error.status) ? active["retry-after"] : undefined;
    return respond(respondWithError(error, c), { code, delay, body, hang, "retry-after": retryAfter });
  }
  const response = await serve();
  const isPage = response.status < 400 && method !== "OPTIONS";
  if (!isPage || replacesBody(body)) return respond(response, { delay, body });
  if (!changesPage(active)) return respond(response, { delay, body, grow });
  // Never a 304: a request for a changed page ignores the client's copy.
  const page = JSON.parse(await response.text());
  const changes = changePage(page, active, random);
  const effects = Object.fromEntries(changes.map(({ option }) => [option, active[option]]));
  const changed = new Response(JSON.stringify(page), response);
  return { ...respond(changed, { delay, body, grow, ...effects }), changes };
}

/** Serves a request. An error becomes a response here already, because body faults also apply to errors. */
async function serveWithErrors(request: PageRequest, route: Route, options: ServeOptions): Promise<Response> {
  try {
    return await route.serve(request, options);
  } catch (error) {
    return respondWithError(error, request.c);
  }
}
