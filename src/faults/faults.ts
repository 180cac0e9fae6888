import type { AppContext } from "../bindings.ts";
import { getClientKey, UNKNOWN_CLIENT } from "../http/client-key.ts";
import { respondWithError } from "../http/error-response.ts";
import type { GetHiddenCount, PageLocation } from "../records/page.ts";
import { type AppliedOptions, formatOptions, listAppliedOptions } from "./applied-options.ts";
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
import { createSlots, TooManyDelayedError } from "./slots.ts";
import { getWait, sleep } from "./wait.ts";

/** A request, and how the route responds to it without faults. */
export interface ServedRequest {
  c: AppContext;
  query: URLSearchParams;
  /** Locates the requested page, without reading a record. Returns undefined if the collection does not have the page. */
  locatePage(): Promise<PageLocation | undefined>;
  serve(options: { canBeNotModified: boolean }): Promise<ServedResponse>;
}

export interface ServedResponse {
  response: Response;
  /** Whether the response is a page, or a 304 for a page. */
  isPage: boolean;
}

export type Faults = ReturnType<typeof createFaults>;

/**
 * Creates the faults of a service.
 * @param now The clock of faults, in milliseconds since 1970-01-01 UTC
 */
export function createFaults(now: () => number) {
  const counters = createRequestCounters();
  const acquireSlot = createSlots();

  /** Responds to a request with the faults that its options select. */
  async function applyFaults(
    request: ServedRequest,
    options: FaultOptions,
  ): Promise<{ response: Response; applied: AppliedOptions }> {
    const { c, query, locatePage } = request;
    const { values, isFromClient } = options;
    const { method, raw } = c.req;
    const random = createRandom(values.seed, getPageKey(method, query));
    const counts = countWith(counters, request, values, now());
    const active = await selectActiveOptions(values, { locatePage, now: now(), random, ...counts });

    // The runtime sends no body after HEAD, so nothing would read a slow one to its end.
    const wait = getWait(active, { hasBody: method !== "HEAD", random });
    // A delay that PREFER causes counts for no client.
    const client = isFromClient ? getClientKey(c) : UNKNOWN_CLIENT;
    const slot = acquireSlot(wait, client, raw.signal);
    if (slot === undefined) {
      if (isFromClient) throw new TooManyDelayedError();
      // The client did not ask for the options of PREFER, so it gets a response without faults.
      return applyFaults(request, { ...options, values: { grow: values.grow } });
    }
    try {
      await sleep(wait.beforeMs, raw.signal);
      if (wait.bodyMs === 0) slot.release();

      const onBodyEnd = slot.release;
      return await respond(request, options, active, { random, now: now(), bodyMs: wait.bodyMs, onBodyEnd });
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  return {
    applyFaults,
    /** Creates the function that returns how many records the options hide now. Returns undefined if they hide none. */
    createGetHiddenCount: ({ values: { grow } }: FaultOptions): GetHiddenCount | undefined =>
      grow === undefined ? undefined : createGrowth(grow, now()),
    /** Resets the counters of `times` and `rate`. */
    reset: counters.reset,
  };
}

/** Creates the functions that count a request for its conditions. */
function countWith(
  { countEqual, countOfClient }: ReturnType<typeof createRequestCounters>,
  { c, query }: ServedRequest,
  values: OptionValues,
  now: number,
): Pick<ConditionContext, "countEqual" | "countOfClient"> {
  return {
    countEqual: () => countEqual(getRequestKey(c.req.method, query, formatOptions(values))),
    countOfClient: (unit) => countOfClient(getClientKey(c), unit, now),
  };
}

interface RespondContext {
  random: RandomSource;
  now: number;
  /** The time of a slow body. */
  bodyMs: number;
  /** Called when a slow body was sent or canceled. */
  onBodyEnd(): void;
}

/** Responds with the active faults, after the wait. */
async function respond(
  request: ServedRequest,
  options: FaultOptions,
  active: OptionValues,
  { random, now, bodyMs, onBodyEnd }: RespondContext,
): Promise<{ response: Response; applied: AppliedOptions }> {
  const canBeCached = isCacheable(active, options);
  const unbroken = await createResponse(request, active, { canBeCached, now, random });
  const applied = listAppliedOptions(unbroken.applied, active);
  const response = await breakBody(unbroken.response, applied.values.body, bodyMs, onBodyEnd);
  setFaultHeaders(response, applied, { warnings: options.warnings, canBeCached });
  return { response, applied };
}

/**
 * Closes the connection, responds with the requested error, or serves the request and changes the page.
 * @returns The response before its body is broken, and the options without conditions that affect it
 */
async function createResponse(
  request: ServedRequest,
  active: OptionValues,
  { canBeCached, now, random }: { canBeCached: boolean; now: number; random: RandomSource },
): Promise<{ response: Response; applied: OptionValues }> {
  const { c } = request;
  const { code, delay, body, hang, close, grow } = active;
  if (close) return { response: createClosedResponse(), applied: { delay, hang, close } };
  if (code !== undefined || hang) {
    const error = createRequestedError(active, c.req.method, now);
    const retryAfter = isRetryable(error.status) ? active["retry-after"] : undefined;
    const applied = { code, delay, body, hang, "retry-after": retryAfter };
    return { response: respondWithError(error, c), applied };
  }
  const { response, isPage } = await serveWithErrors(request, { canBeNotModified: canBeCached });
  if (!isPage || replacesBody(body)) return { response, applied: { delay, body } };
  if (!changesPage(active)) return { response, applied: { delay, body, grow } };
  const page = JSON.parse(await response.text());
  const applied = { delay, body, grow, ...changePage(page, active, random) };
  return { response: new Response(JSON.stringify(page), response), applied };
}

/** Serves a request. An error becomes a response here already, because body faults also apply to errors. */
async function serveWithErrors(
  { c, serve }: ServedRequest,
  options: { canBeNotModified: boolean },
): Promise<ServedResponse> {
  try {
    return await serve(options);
  } catch (error) {
    return { response: respondWithError(error, c), isPage: false };
  }
}
