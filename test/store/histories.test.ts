import { expect, test } from "vitest";
import { PAGE_SIZE, type PageNumber } from "../../src/records/page.ts";
import { createCachedStore, type PageRead } from "../../src/store/cache.ts";
import { JOIN_WINDOW_MS, READ_TIMEOUT_MS } from "../../src/store/retry.ts";
import type { State } from "../../src/store/state.ts";
import { getRecords } from "./controlled-store.ts";
import { createHistoricStore, NEVER, type StoreBehavior } from "./historic-store.ts";
import { currentRequest, type Random, simulate, wait } from "./virtual-clock.ts";

/** Histories in a run, of 160 requests each; the weekly job simulates more. */
const HISTORIES = 100 * Number(process.env.SIMULATED_DAYS ?? 3);

/** How long a request can take: it looks three times at a state and a block, and asks the primary database in between. */
const LONGEST_MS = 6 * READ_TIMEOUT_MS;

/** How long a state can be served after it was replaced, while the store works. */
const STALE_MS = 9_000;

/** How long before a request the primary database may have been asked whether its page exists. */
const CONFIRMED_MS = 1_000;

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

/** A request, and the highest sequence that was served before it began. */
interface Asked {
  page: PageNumber;
  hidden: number;
  beganAt: number;
  reached: number;
}

/**
 * Simulates an instance, its store and its clients for some minutes or hours, and checks each response.
 * @returns how many responses were checked, and what was wrong
 */
async function simulateHistory(random: Random): Promise<{ responses: number; problems: string[] }> {
  const abandoned = random() < 0.7 ? 0 : random() * 0.5;
  const history = createHistoricStore(drawBehavior(random), random);
  const { behavior, change, seen, problems, demand } = history;
  const { ask, served } = createClients(history, random, abandoned);
  const asked: Promise<void>[] = [];
  for (let request = 0; request < 160; request++) {
    await wait(drawPause(random));
    if (random() < 0.08) change();
    if (random() < 0.05) seen.disturbedUntil = Date.now() + random() * 20_000;
    asked.push(ask());
  }
  await Promise.all(asked);
  const isCalm = behavior.failureRate === 0 && abandoned === 0 && behavior.latencyMs < JOIN_WINDOW_MS;
  demand(!isCalm || seen.mostAtOnce <= 1, "reads of the state at once", seen.mostAtOnce);
  return { responses: served.responses, problems };
}

/**
 * Creates the clients of an instance.
 * @param abandoned the share of the requests that end before their response
 */
function createClients(history: History, random: Random, abandoned: number) {
  // A cache of 100 bytes keeps nothing.
  const cache = createCachedStore(history.store, "simulated", random() < 0.2 ? 100 : undefined);
  const served = { responses: 0, reached: 0 };
  const ask = async () => {
    const page = drawPage(random);
    const hidden = random() < 0.1 ? Math.floor(random() * 200) : 0;
    const asked = { page, hidden, beganAt: Date.now(), reached: served.reached };
    const end = random() < abandoned ? wait(random() * 4_000) : NEVER;
    const hide = hidden > 0 ? (count: number) => Math.min(count, hidden) : undefined;
    const request = { isOver: false };
    const found = currentRequest.run(request, () => cache.getPage(page, hide, () => {}));
    const response = await Promise.race([found.catch((error: Error) => error), end]);
    request.isOver = true;
    if (!response) return;
    served.responses += 1;
    check(history, asked, response);
    if ("state" in response) served.reached = Math.max(served.reached, response.state.sequence);
  };
  return { ask, served };
}

/** Half of the requests come at once, some after seconds, and a few after an idle hour. */
function drawPause(random: Random): number {
  const kind = random();
  if (kind < 0.5) return 0;
  if (kind < 0.8) return random() * 1_500;
  return random() * (kind < 0.98 ? 7_000 : 3_600_000);
}

function drawPage(random: Random): PageNumber {
  return random() < 0.1 ? "last" : Math.ceil(random() * (random() < 0.7 ? 12 : 50));
}

function check(history: History, asked: Asked, response: PageRead | Error): void {
  const { seen, demand } = history;
  const { beganAt } = asked;
  const works = seen.workedUntil < beganAt - 15_000;
  demand(Date.now() - beganAt <= LONGEST_MS, "a response takes too long", Date.now() - beganAt);
  if (response instanceof Error) demand(!works, "a store that works is an error", response.stack);
  else {
    checkPage(history, asked, response);
    checkState(history, asked, response.state, works);
  }
}

/** The response is the page of its state, or its state has no such page. */
function checkPage({ confirmations, demand }: History, asked: Asked, { state, found }: PageRead): void {
  const shown = Math.max(0, state.count - asked.hidden);
  const pages = Math.max(1, Math.ceil(shown / PAGE_SIZE));
  const number = asked.page === "last" ? pages : asked.page;
  if (!found) {
    const isConfirmed = confirmations.some(
      ({ askedAt, load }) => load === state.load && asked.beganAt - askedAt < CONFIRMED_MS,
    );
    demand(number > pages, "404 for a page of the state", number);
    demand(isConfirmed, "404 that the primary database did not confirm", state.load);
    return;
  }
  const first = state.count - shown + PAGE_SIZE * (number - 1) + 1;
  const results = JSON.stringify(getRecords(state.load).slice(first - 1, first - 1 + PAGE_SIZE));
  const { location } = found;
  demand(location.count === shown && location.number === number, "a wrong place", JSON.stringify(location));
  demand(found.results === results, "wrong records", found.results);
}

function checkState(
  { behavior, states, demand }: History,
  { beganAt, reached }: Asked,
  { load, sequence }: State,
  works: boolean,
): void {
  const until = Math.max(...states.filter(({ state }) => state.load === load).map(({ to }) => to));
  demand(!works || beganAt - until <= STALE_MS + behavior.lagMs, "a state that is too old", beganAt - until);
  demand(
    behavior.restoresBackups || sequence >= reached,
    "a state from before one that was served",
    sequence,
  );
}

test("in a random history, each response is of one state, not too old, and never from before another one", async () => {
  let total = 0;
  await simulate(HISTORIES, async (random) => {
    const { responses, problems } = await simulateHistory(random);
    expect(problems).toEqual([]);
    total += responses;
  });
  expect(total).toBeGreaterThan(100 * HISTORIES);
});
