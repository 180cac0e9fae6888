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
 * The options of a request are rules: `code=503, times=1, else, body=cut` is two. The first rule whose conditions are met decides about the
 * response, so the first request for a page gets a 503, and the next ones a body that is cut off.
 */

/** What all requests to a service share. */
interface Shared {
  state: State;
  slots: Slots;
  /** The time of faults, in milliseconds since 1970-01-01 UTC. */
  clock(): number;
}

export type Faults = ReturnType<typeof createFaults>;

/**
 * Creates the faults of a service.
 * @param clock Returns their time, in milliseconds since 1970-01-01 UTC
 * @param maxWaiting How many responses may wait at a time
 */
export function createFaults(clock: () => number, maxWaiting: number) {
  const state = createState();
  const slots = createSlots(maxWaiting);
  return {
    respondWithFaults: (request: PageRequest, options: FaultOptions, serve: Serve) =>
      respond({ state, slots, clock }, request, options, serve),
    /** Gets the collection that a client sees now. */
    getCollection: (c: AppContext, rules: Rule[]) => getCollectionAt(clock(), c, rules, state),
    /** Resets the counts of `times` and `rate`, and begins the growth of `grow`. */
    reset: () => state.reset(clock()),
    /** Closes the connections of all responses that wait. */
    endWaits: () => slots.interruptAll(),
  };
}

/** Responds to a request with options: the rule that applies decides about the wait, the response, its body and its headers. */
async function respond(
  { state, slots, clock }: Shared,
  request: PageRequest,
  { rules, source, warnings }: FaultOptions,
  serve: Serve,
): Promise<Response> {
  const { c } = request;
  const receivedAt = clock();
  const collection = getCollectionAt(receivedAt, c, rules, state);

  const lastPage = await findLastPage(request, rules, collection);
  // `page=last` counts and draws as the page that it is now, such as page 27.
  const page = request.page === "last" ? lastPage : request.page;
  const draw = createDraw(getSharedOptions(rules).seed, page);
  const context = { request, page, lastPage, receivedAt, draw, countRequest: state.countRequest };
  const { options, rule, unmet, retryAt } = chooseRule(rules, context);
  const chosen = { source, rule, unmet };
  // Noted now and, with what they did, after the wait: the client can leave in between.
  noteApplied(c, { ...chosen, warnings, options, changes: [] });

  const waited = await wait(c, options, { slots, random: draw("delay") });
  const isRefused = waited.kind === "refused";
  const granted = isRefused ? withoutWait(options) : options;

  const { response, deciding, ...outcome } = await createOutcome(request, granted, {
    isInterrupted: waited.kind === "interrupted",
    retryAt,
    now: clock(),
    serve,
    collection,
    draw,
  });
  const applied = {
    ...chosen,
    warnings: isRefused ? [...warnings, slots.warning] : warnings,
    options: pickDeciding(granted, deciding),
    granted,
    waitMs: "waitMs" in waited ? waited.waitMs : 0,
    ...outcome,
  };
  noteApplied(c, applied);

  const sent = await breakBody(response, applied.options.body, waited);
  setFaultHeaders(sent, applied);
  return sent;
}

/** Finds the number of the last page, if the request or a condition names that page. */
async function findLastPage(
  request: PageRequest,
  rules: Rule[],
  collection: Collection,
): Promise<number | undefined> {
  const isNamed = request.page === "last" || rules.some(({ on }) => on?.includes("last"));
  if (!isNamed) return undefined;
  // If the store fails, the request fails later, unless a fault replaces its response.
  return collection.findLastPage().catch(() => undefined);
}

/** Removes the options that only take time. `hang` stays: without its wait, it is a 503 at once. */
function withoutWait(options: OptionValues): OptionValues {
  const body = options.body === "slow" ? undefined : options.body;
  return { ...options, delay: undefined, body };
}

/** Gets the collection at a time: with `grow`, it lacks its newest records. */
function getCollectionAt(now: number, c: AppContext, rules: Rule[], state: State): Collection {
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
