import { findClientKey, getClientKey } from "../http/client-key.ts";
import { respondWithError } from "../http/error-response.ts";
import type { PageRequest, ServeOptions } from "../http/page-request.ts";
import type { PageLocation } from "../records/page.ts";
import { addConditions, formatOptions } from "./applied-options.ts";
import { breakBody, createClosedResponse, replacesBody } from "./body-faults.ts";
import { type ConditionContext, selectActiveOptions } from "./conditions.ts";
import { isCacheable, setFaultHeaders } from "./fault-headers.ts";
import type { FaultOptions } from "./fault-options.ts";
import { createGrowth } from "./growth.ts";
import type { OptionValues } from "./option-table.ts";
import { changePage, changesPage } from "./page-faults.ts";
import { createRandom, type RandomSource } from "./random.ts";
import { createRequestCounters, getPageKey, getRequestKey } from "./request-counter.ts";
import { createRequestedError, isRetryable } from "./requested-error.ts";
import { createSlots, NO_SLOT, type Slot, TooManyDelayedError } from "./slots.ts";
import { getWait, NO_WAIT, sleep, type Wait } from "./wait.ts";

/** How the route responds to requests without faults. */
export interface Route {
  serve(request: PageRequest, options: ServeOptions): Promise<Response>;
  /** Locates the requested page, without reading a record. Returns undefined if the collection does not have the page. */
  locate(request: PageRequest, options: ServeOptions): Promise<PageLocation | undefined>;
}

/** What the requests to a service share. */
interface SharedState {
  counters: ReturnType<typeof createRequestCounters>;
  acquireSlot: ReturnType<typeof createSlots>;
  /** The clock of faults, in milliseconds since 1970-01-01 UTC. */
  now(): number;
}

export type Faults = ReturnType<typeof createFaults>;

/** Creates the faults of a service. Their clock is in milliseconds since 1970-01-01 UTC. */
export function createFaults(now: () => number) {
  const shared: SharedState = { counters: createRequestCounters(), acquireSlot: createSlots(), now };
  return {
    respondWithFaults: (request: PageRequest, options: FaultOptions, route: Route) =>
      respondWithFaults(shared, request, options, route),
    createCountHidden: (values: OptionValues) => createCountHidden(values, now()),
    /** Resets the counters of `times` and `rate`. */
    reset: shared.counters.reset,
  };
}

/** Creates the function that returns how many of the newest records the options hide. Returns undefined if they hide none. */
function createCountHidden({ grow }: OptionValues, now: number): ServeOptions["countHidden"] {
  return grow === undefined ? undefined : createGrowth(grow, now);
}

/** Responds in this order: conditions, wait, error or served page, changes of the body, headers. */
async function respondWithFaults(
  shared: SharedState,
  request: PageRequest,
  options: FaultOptions,
  route: Route,
): Promise<Response> {
  const { c } = request;
  const { values: requested, warnings } = options;
  const random = createRandom(requested.seed, getPageKey(request));
  const countHidden = createCountHidden(requested, shared.now());
  const selected = await selectActive(shared, request, requested, {
    random,
    locatePage: () => route.locate(request, { countHidden }),
  });

  const { active, wait, slot } = takeSlot(shared, request, options, { selected, random });
  try {
    await sleep(wait.beforeMs, c.req.raw.signal);
    // A slow body keeps the slot until its end.
    if (wait.bodyMs === 0) slot.release();

    const canBeCached = isCacheable(active, options);
    const serve = () => serveWithErrors(request, route, { countHidden, ignoresCopy: !canBeCached });
    const { response, applied } = await createResponse(request, active, { serve, random, now: shared.now() });
    c.set("applied", applied);
    const sent = await breakBody(response, applied.body, { slowMs: wait.bodyMs, onEnd: slot.release });
    setFaultHeaders(sent, applied, { warnings, canBeCached });
    return sent;
  } catch (error) {
    slot.release();
    throw error;
  }
}

function selectActive(
  { counters, now }: SharedState,
  request: PageRequest,
  requested: OptionValues,
  context: Pick<ConditionContext, "random" | "locatePage">,
): Promise<OptionValues> {
  return selectActiveOptions(requested, {
    ...context,
    now: now(),
    countEqual: () => counters.countEqual(getRequestKey(request, formatOptions(requested))),
    countOfClient: (unit) => counters.countOfClient(getClientKey(request.c), unit, now()),
  });
}

/**
 * Takes a slot for the wait of the selected options. If none is free, the options of PREFER have no faults, because the client did not ask
 * for them.
 * @throws TooManyDelayedError if none is free, and the client asked for the options
 */
function takeSlot(
  { acquireSlot }: SharedState,
  { c, method }: PageRequest,
  { isFromClient }: FaultOptions,
  { selected, random }: { selected: OptionValues; random: RandomSource },
): { active: OptionValues; wait: Wait; slot: Slot } {
  // The runtime sends no body after HEAD, so nothing would read a slow one to its end.
  const wait = getWait(selected, { hasBody: method !== "HEAD", random });
  const slot = acquireSlot(wait, isFromClient ? findClientKey(c) : undefined, c.req.raw.signal);
  if (slot !== undefined) return { active: selected, wait, slot };
  if (isFromClient) throw new TooManyDelayedError();
  return { active: { grow: selected.grow }, wait: NO_WAIT, slot: NO_SLOT };
}

interface ResponseContext {
  serve(): Promise<Response>;
  random: RandomSource;
  now: number;
}

/**
 * Closes the connection, responds with the requested error, or serves the request and changes the page.
 * @returns The response before its body is broken, and the options that affect it
 */
async function createResponse(
  { c, method }: PageRequest,
  active: OptionValues,
  { serve, random, now }: ResponseContext,
): Promise<{ response: Response; applied: OptionValues }> {
  const { code, delay, body, hang, close, grow } = active;
  const respond = (response: Response, effects: OptionValues) => ({
    response,
    applied: addConditions(effects, active),
  });
  if (close) return respond(createClosedResponse(), { delay, hang, close });
  if (code !== undefined || hang) {
    const error = createRequestedError(active, method, now);
    const retryAfter = isRetryable(error.status) ? active["retry-after"] : undefined;
    return respond(respondWithError(error, c), { code, delay, body, hang, "retry-after": retryAfter });
  }
  const response = await serve();
  const isPage = response.status < 400 && method !== "OPTIONS";
  if (!isPage || replacesBody(body)) return respond(response, { delay, body });
  if (!changesPage(active)) return respond(response, { delay, body, grow });
  const page = JSON.parse(await response.text());
  const changes = changePage(page, active, random);
  return respond(new Response(JSON.stringify(page), response), { delay, body, grow, ...changes });
}

/** Serves a request. An error becomes a response here already, because body faults also apply to errors. */
async function serveWithErrors(request: PageRequest, route: Route, options: ServeOptions): Promise<Response> {
  try {
    return await route.serve(request, options);
  } catch (error) {
    return respondWithError(error, request.c);
  }
}
