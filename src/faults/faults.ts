import type { AppContext } from "../bindings.ts";
import { hashString } from "../hash.ts";
import type { PageRequest } from "../http/request.ts";
import type { Collection } from "../store/cached-store.ts";
import { getCachedStore } from "../store/create-store.ts";
import { noteApplied } from "./applied-options.ts";
import { breakBody } from "./body-faults.ts";
import { selectRule } from "./conditions.ts";
import type { FaultOptions } from "./fault-options.ts";
import { createResponse, type Serve, setFaultHeaders } from "./fault-response.ts";
import type { OptionValues } from "./option-table.ts";
import { getSharedOptions, type Rule } from "./rules.ts";
import { createSlots, type Slots, wait } from "./slots.ts";
import { createState, type State } from "./state.ts";

/** What all requests to a service share. */
interface Shared {
  /** The counts of `times` and `rate`, and the growth of `grow`. */
  state: State;
  /** The slots of responses that wait. */
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
    respondWithFaults: (request: PageRequest, options: FaultOptions, serve: Serve) =>
      respond({ state, slots, now }, request, options, serve),
    /** Gets the collection that a client sees now. */
    getCollection: (c: AppContext, rules: Rule[]) => getCollection(c, rules, { state, now: now() }),
    /** Resets the counts of `times` and `rate`, and begins the growth of `grow`. */
    reset: () => state.reset(now()),
    /** Closes the connections of all responses that wait. */
    endWaits: () => slots.interruptAll(),
  };
}

/** Responds to a request with options: the rule that applies decides about the wait, the response, its body and its headers. */
async function respond(
  { state, slots, now }: Shared,
  request: PageRequest,
  { rules, source, warnings }: FaultOptions,
  serve: Serve,
): Promise<Response> {
  const { c } = request;
  const receivedAt = now();
  const collection = getCollection(c, rules, { state, now: receivedAt });

  // The options see the number of the last page, also if the request or the condition `on` says `last`.
  const needsLastPage = request.page === "last" || rules.some(({ on }) => on?.includes("last"));
  const lastPage = needsLastPage ? await collection.findLastPage() : undefined;
  const page = request.page === "last" ? lastPage : request.page;

  const draw = createDraw(getSharedOptions(rules).seed, page);
  const context = { request, page, lastPage, receivedAt, draw, countRequest: state.countRequest };
  const { options, rule, unmet, retryAt } = selectRule(rules, context);
  const selected = { source, rule, unmet };
  // Noted now and, with what they changed, after the wait: the client can leave in between.
  noteApplied(c, { ...selected, options, changes: [] });

  const waited = await wait(c, options, { slots, random: draw("delay") });
  const remaining = waited.kind === "refused" ? withoutWait(options) : options;
  const { response, effects } = await createResponse(request, remaining, {
    serve,
    collection,
    isInterrupted: waited.kind === "interrupted",
    draw,
    retryAt,
    now: now(),
  });
  noteApplied(c, { ...selected, ...effects });

  const sent = await breakBody(response, effects.options.body, waited);
  const allWarnings = waited.kind === "refused" ? [...warnings, waited.warning] : warnings;
  setFaultHeaders(sent, effects, { source, warnings: allWarnings });
  return sent;
}

/** Removes the options that only take time. `hang` stays: without its wait, it is a 503 at once. */
function withoutWait(options: OptionValues): OptionValues {
  const body = options.body === "slow" ? undefined : options.body;
  return { ...options, delay: undefined, body };
}

/** Gets the collection at a time: with `grow`, it lacks its newest records. */
function getCollection(
  c: AppContext,
  rules: Rule[],
  { state, now }: { state: State; now: number },
): Collection {
  const collection = getCachedStore(c.env);
  const { grow } = getSharedOptions(rules);
  if (grow === undefined) return collection;
  return collection.withoutNewest((total) => state.countHidden(grow, { total, now }));
}

/**
 * Creates the function that draws the random numbers of a request, from 0 to below 1. With a seed, a purpose always has the same number,
 * which depends only on the seed and the page. `hashString` returns 53 bits.
 */
function createDraw(seed: number | undefined, page: number | undefined): (purpose: string) => number {
  if (seed === undefined) return Math.random;
  return (purpose) => hashString(`${seed} ${purpose} ${page}`) / 2 ** 53;
}
