import type { AppContext } from "../bindings.ts";
import { hashString } from "../hash.ts";
import type { PageRequest } from "../http/request.ts";
import type { Collection } from "../store/cached-store.ts";
import { getCachedStore } from "../store/create-store.ts";
import { noteApplied, pickDeciding } from "./applied-options.ts";
import { breakBody } from "./body-faults.ts";
import { chooseRule } from "./conditions.ts";
import type { FaultOptions } from "./fault-options.ts";
import { createOutcome, type Serve, setFaultHeaders } from "./fault-response.ts";
import type { OptionValues } from "./option-table.ts";
import { getSharedOptions, type Rule } from "./rules.ts";
import { createSlots, type Slots } from "./slots.ts";
import { createState, type State } from "./state.ts";
import { wait } from "./wait.ts";

/*
 * The options of a request, such as `code=503, times=1, else, body=cut`, are rules, which `else` divides. The first rule whose conditions
 * are met (here: while it has applied less than once) decides about the response.
 */

/** What all requests to a service share. */
interface Shared {
  /** The counts of `times` and `rate`, and the growth of `grow`. */
  state: State;
  /** Limits how many responses wait at a time. */
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

  // For the conditions, `page=last` and the number of the last page are the same page.
  const needsLastPage = request.page === "last" || rules.some(({ on }) => on?.includes("last"));
  const lastPage = needsLastPage ? await collection.findLastPage() : undefined;
  const page = request.page === "last" ? lastPage : request.page;
  const draw = createDraw(getSharedOptions(rules).seed, page);

  const context = { request, page, lastPage, receivedAt, draw, countRequest: state.countRequest };
  const { options, retryAt, ...chosen } = chooseRule(rules, context);
  // Noted now and, with what they did, after the wait: the client can leave in between.
  noteApplied(c, { ...chosen, source, warnings, options, changes: [] });

  const waited = await wait(c, options, { slots, random: draw("delay") });
  const isRefused = waited.kind === "refused";
  const granted = isRefused ? withoutWait(options) : options;

  const { response, effects, ...changed } = await createOutcome(request, granted, {
    isInterrupted: waited.kind === "interrupted",
    retryAt,
    now: now(),
    serve,
    collection,
    draw,
  });
  const applied = {
    ...chosen,
    ...changed,
    source,
    warnings: isRefused ? [...warnings, slots.warning] : warnings,
    options: pickDeciding(granted, effects),
  };
  noteApplied(c, applied);

  const sent = await breakBody(response, applied.options.body, waited);
  setFaultHeaders(sent, applied);
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
