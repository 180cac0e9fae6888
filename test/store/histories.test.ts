import { expect, test } from "vitest";
import { PAGE_SIZE, type PageNumber } from "../../src/records/page.ts";
import { createCachedStore, type PageRead } from "../../src/store/cached-store.ts";
import { JOIN_WINDOW_MS, READ_TIMEOUT_MS } from "../../src/store/retry.ts";
import type { State } from "../../src/store/state.ts";
import { getRecords } from "./controlled-store.ts";
import { createHistoricStore, createPendingPromise, type StoreBehavior } from "./historic-store.ts";
import { currentRequest, type Random, simulate, wait } from "./virtual-clock.ts";

/** The number of histories, with 160 requests each. The weekly job simulates more. */
const HISTORIES = 100 * Number(process.env.SIMULATED_DAYS ?? 3);

/** The maximum duration of a request: three attempts, each with a read of the state or of the primary database and of a block. */
const MAX_RESPONSE_MS = 6 * READ_TIMEOUT_MS;

/** The maximum time for which a replaced state is served while the store works. */
const MAX_STALE_MS = 9_000;

/** The maximum age of the read of the primary database that confirms a 404, at the start of the request. */
const MAX_CONFIRMATION_MS = 1_000;

type History = ReturnType<typeof createHistoricStore>;

function drawBehavior(random: Random): StoreBehavior {
  const readsBlockWithState = random() < 0.7;
  return {
    readsBlockWithState,
    latencyMs: random() < 0.7 ? 20 + random() * 900 : (random() * READ_TIMEOUT_MS) / 2,
    lagMs: readsBlockWithState && random() < 0.5 ? random() * 20_000 : 0,
    failureRate: random() < 0.5 ? 0 : random(),
    restoresBackups: random() < 0.2,
  };
}

interface PageRequest {
  page: PageNumber;
  hidden: number;
  startedAt: number;
  /** The highest sequence in the responses before this request. */
  minSequence: number;
}

/**
 * Simulates an instance, its store and its clients for some minutes or hours, and checks each response.
 * @returns The number of checked responses, and the problems
 */
async function simulateHistory(random: Random): Promise<{ responses: number; problems: string[] }> {
  const abortRate = random() < 0.7 ? 0 : random() * 0.5;
  const history = createHistoricStore(drawBehavior(random), random);
  const { behavior, replaceState, seen, problems, check } = history;
  const { sendRequest, served } = createClients(history, random, abortRate);
  const requests: Promise<void>[] = [];
  for (let request = 0; request < 160; request++) {
    await wait(drawPause(random));
    if (random() < 0.08) replaceState();
    if (random() < 0.05) seen.failsUntil = Date.now() + random() * 20_000;
    requests.push(sendRequest());
  }
  await Promise.all(requests);
  const isCalm = behavior.failureRate === 0 && abortRate === 0 && behavior.latencyMs < JOIN_WINDOW_MS;
  check(!isCalm || seen.maxRunning <= 1, "concurrent reads of the state", seen.maxRunning);
  return { responses: served.responses, problems };
}

/**
 * Creates the clients of an instance.
 * @param abortRate The share of the requests that end before their response
 */
function createClients(history: History, random: Random, abortRate: number) {
  // No value fits into a cache of 100 bytes.
  const cache = createCachedStore(history.store, "simulated", random() < 0.2 ? 100 : undefined);
  const served = { responses: 0, maxSequence: 0 };
  const sendRequest = async () => {
    const page = drawPage(random);
    const hidden = random() < 0.1 ? Math.floor(random() * 200) : 0;
    const pageRequest = { page, hidden, startedAt: Date.now(), minSequence: served.maxSequence };
    const end = random() < abortRate ? wait(random() * 4_000) : createPendingPromise();
    const getHiddenCount = hidden > 0 ? (count: number) => Math.min(count, hidden) : undefined;
    const request = { isOver: false };
    const found = currentRequest.run(request, () => cache.getPage(page, getHiddenCount, () => {}));
    const response = await Promise.race([found.catch((error: Error) => error), end]);
    request.isOver = true;
    if (!response) return;
    served.responses += 1;
    checkResponse(history, pageRequest, response);
    if ("state" in response) served.maxSequence = Math.max(served.maxSequence, response.state.sequence);
  };
  return { sendRequest, served };
}

/** Half of the requests are concurrent, some come after seconds, and a few after an idle hour. */
function drawPause(random: Random): number {
  const kind = random();
  if (kind < 0.5) return 0;
  if (kind < 0.8) return random() * 1_500;
  return random() * (kind < 0.98 ? 7_000 : 3_600_000);
}

function drawPage(random: Random): PageNumber {
  return random() < 0.1 ? "last" : Math.ceil(random() * (random() < 0.7 ? 12 : 50));
}

function checkResponse(history: History, request: PageRequest, response: PageRead | Error): void {
  const { seen, states, check } = history;
  const { startedAt } = request;
  const works = seen.failedAt < startedAt - 15_000;
  check(Date.now() - startedAt <= MAX_RESPONSE_MS, "a response takes too long", Date.now() - startedAt);
  // Of three attempts, the first can use a load that was replaced before the request, and each of the others needs one more switch.
  const switches = states.filter(({ from }) => from >= startedAt).length;
  if (response instanceof Error)
    check(!works || switches >= 2, "an error although the store works", response.stack);
  else {
    checkPage(history, request, response);
    checkState(history, request, response.state, works);
  }
}

/** Checks that the response is the page of its state, or a confirmed 404. */
function checkPage(
  { confirmations, check }: History,
  request: PageRequest,
  { state, found }: PageRead,
): void {
  const shown = Math.max(0, state.count - request.hidden);
  const pages = Math.max(1, Math.ceil(shown / PAGE_SIZE));
  const number = request.page === "last" ? pages : request.page;
  if (!found) {
    const isConfirmed = confirmations.some(
      ({ startedAt, load }) => load === state.load && request.startedAt - startedAt < MAX_CONFIRMATION_MS,
    );
    check(number > pages, "404 for a page of the state", number);
    check(isConfirmed, "404 that the primary database did not confirm", state.load);
    return;
  }
  const first = state.count - shown + PAGE_SIZE * (number - 1) + 1;
  const results = JSON.stringify(getRecords(state.load).slice(first - 1, first - 1 + PAGE_SIZE));
  const { location } = found;
  check(
    location.count === shown && location.number === number,
    "an incorrect location",
    JSON.stringify(location),
  );
  check(found.results === results, "incorrect records", found.results);
}

function checkState(
  { behavior, states, check }: History,
  { startedAt, minSequence }: PageRequest,
  { load, sequence }: State,
  works: boolean,
): void {
  const until = Math.max(...states.filter(({ state }) => state.load === load).map(({ to }) => to));
  check(!works || startedAt - until <= MAX_STALE_MS + behavior.lagMs, "a stale state", startedAt - until);
  check(behavior.restoresBackups || sequence >= minSequence, "an older state than before", sequence);
}

test("in a random history, each response uses one state, is fresh, and never goes back in time", async () => {
  let total = 0;
  await simulate(HISTORIES, async (random) => {
    const { responses, problems } = await simulateHistory(random);
    expect(problems).toEqual([]);
    total += responses;
  });
  expect(total).toBeGreaterThan(100 * HISTORIES);
});
