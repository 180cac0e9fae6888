import type { Context, Next } from "hono";
import type { Env } from "../env.ts";
import { HttpError, respondWithError } from "../http/errors.ts";
import { dropCondition, isCurrent } from "../http/headers.ts";
import { readQuery } from "../http/request.ts";
import { COLLECTION_PATH } from "../records/page.ts";
import type { CollectionEnv } from "../records/route.ts";
import { announce, listCertain } from "./announce.ts";
import { BODY_FAULT_HEADERS, breakBody, createClosing, SLOW_MS, wait } from "./body-faults.ts";
import { type Decision, decide, isOnTarget } from "./decision.ts";
import type { OptionName } from "./options.ts";
import { changePage, countHidden, hasPageFault } from "./page-faults.ts";
import { choosePreferences, type Preferences, readPreferences, requirePreferences } from "./prefer.ts";
import {
  type Counter,
  createCounter,
  createRandom,
  pageKey,
  type RandomSource,
  requestKey,
} from "./request-key.ts";
import { createError, tooManyWaiting } from "./status-faults.ts";
import { createWaiting } from "./waiting.ts";

type MockContext = Context<CollectionEnv>;

interface MockSettings {
  /** The clock of `until`, `grow` and `retry-after=date`: milliseconds since 1970-01-01 UTC. */
  now(): number;
}

interface Mock extends MockSettings {
  counter: Counter;
  waiting: ReturnType<typeof createWaiting>;
  parseSetting(text: string): Preferences;
}

/** Most clients that have a limit give up before this time. */
const HANG_MS = 60_000;

/**
 * Creates the mock, which makes responses fail as the header `Prefer` and the query parameter `prefer` ask, and those of the
 * collection also as the setting `PREFER` asks. No response has `Vary: Prefer`, although RFC 7240, 2 asks for it, because the
 * specification shows the value of `Vary` on a page. So a cache may respond to the header with a page that it stored before.
 * Responses with a fault are never stored.
 */
export function createMock(settings: MockSettings) {
  const mock: Mock = {
    ...settings,
    counter: createCounter(),
    waiting: createWaiting(),
    parseSetting: createSettingParser(),
  };
  return {
    /** @throws 400 if the query has an unknown or an invalid option, and an Error if `PREFER` has one or `FAULTS` is wrong */
    handle(c: Context, next: Next): Promise<void> {
      if (isOff(c.env)) return next();
      const isStanding = c.env.PREFER && c.req.path === COLLECTION_PATH;
      // Skip parsing unless the request may contain `prefer`, whose name may be percent-encoded.
      const isUnused = !isStanding && c.req.header("Prefer") === undefined && !/prefer=|%/.test(c.req.url);
      return isUnused ? next() : respond(c, next, mock, isStanding ? c.env.PREFER : undefined);
    },

    /** Forgets all requests that `times` has counted. */
    reset: mock.counter.reset,
  };
}

/** Whether the deployment ends all faults: then `prefer` is a parameter and `Prefer` a header without meaning. */
function isOff({ FAULTS = "on" }: Env): boolean {
  if (FAULTS === "on" || FAULTS === "off") return FAULTS === "off";
  throw new Error(`FAULTS is ${JSON.stringify(FAULTS)}; it must be "on" or "off"`);
}

/** Parses `PREFER` again only if it has changed. */
function createSettingParser() {
  let latest: { text: string; preferences: Preferences } | undefined;
  return (text: string): Preferences => {
    if (latest?.text !== text) latest = { text, preferences: requirePreferences("PREFER", text) };
    return latest.preferences;
  };
}

async function respond(c: MockContext, next: Next, mock: Mock, setting: string | undefined): Promise<void> {
  const own = readPreferences(c.req.header("Prefer") ?? "", readQuery(c.req.url).getAll("prefer"));
  if (own.errors.length > 0) throw new HttpError(400, { detail: own.errors.join(" ") });
  const preferences = choosePreferences(own, setting === undefined ? undefined : mock.parseSetting(setting));
  const isUsed = setting !== undefined || preferences.texts.size > 0 || preferences.warnings.length > 0;
  return isUsed ? change(c, next, mock, preferences) : next();
}

/** Decides, waits, lets the service or an error respond, and changes the response. With `on`, the service responds first. */
async function change(c: MockContext, next: Next, mock: Mock, preferences: Preferences): Promise<void> {
  const { on, grow, seed } = preferences.options;
  const now = mock.now();
  const random = createRandom(seed, pageKey(c.req.method, new URL(c.req.url)));
  if (grow) c.set("hide", (count) => countHidden(count, grow, now));
  // A response that a fault will change must have a body.
  const condition = dropCondition(c);
  if (on) await next();
  const decision = await decide(preferences.options, {
    isTarget: on === undefined || isOnTarget(on, c.get("place")),
    now,
    count: () => mock.counter.count(identify(c, preferences)),
    random,
  });
  const { before, body } = findWaits(decision);
  const end = mock.waiting.begin(before + body);
  if (!end) return replaceResponse(c, () => respondWithError(tooManyWaiting(), c));
  await wait(before, c.req.raw.signal);
  // A slow body counts until its time is over, even if the client disconnects.
  if (body === 0) end();
  if (decision.faults.close) replaceResponse(c, createClosing);
  else if (decision.status !== undefined) fail(c, decision.status, preferences, now);
  else if (!on) await next();
  const applied = await changeResponse(c, decision, random);
  announce(c.res.headers, preferences, applied, grow !== undefined && isPage(c));
  if (condition !== undefined) confirmCopy(c, condition);
}

/** What `times` counts: requests with the same method, page, parameters and options. */
function identify(c: MockContext, { texts }: Preferences): string {
  return `${requestKey(c.req.method, new URL(c.req.url))} ${[...texts.values()]}`;
}

/** How long to wait before the response, and for how long its body is sent. With `body=slow` the delay is that of the body. */
function findWaits({ delayMs, faults }: Decision): { before: number; body: number } {
  const isSlow = faults.body === "slow";
  const delay = isSlow ? 0 : (delayMs ?? 0);
  return { before: faults.hang ? HANG_MS : delay, body: isSlow ? (delayMs ?? SLOW_MS) : 0 };
}

/** Responds with an error. */
function fail(c: MockContext, status: number, { options }: Preferences, now: number): void {
  c.set("fault", true);
  replaceResponse(c, () => respondWithError(createError(status, c.req.method, now, options), c));
}

/** The headers of a page that no error has. */
const PAGE_HEADERS = ["ETag", "Data-Source", "Link"];

/** Hono would copy the headers of the response that is replaced, and gives those of a page to the next response too. */
function replaceResponse(c: MockContext, create: () => Response): void {
  c.res = undefined;
  c.res = create();
  for (const name of PAGE_HEADERS) c.res.headers.delete(name);
}

/** @returns the faults that the response has now */
async function changeResponse(
  c: MockContext,
  decision: Decision,
  random: RandomSource,
): Promise<OptionName[]> {
  const { delayMs, faults } = decision;
  const applied = listCertain(decision);
  if (faults.close) return applied;
  if (hasPageFault(faults) && isPage(c)) {
    const changed = await changePage(await c.res.text(), faults, random);
    c.res = new Response(changed.envelope, c.res);
    applied.push(...changed.applied);
  }
  if (faults.body && c.res.body) {
    c.res = new Response(await breakBody(c.res, faults.body, delayMs), c.res);
    for (const [name, value] of Object.entries(BODY_FAULT_HEADERS[faults.body]))
      c.res.headers.set(name, value);
    applied.push("body");
  }
  return applied;
}

/** Whether the response is a page of the collection. */
function isPage(c: MockContext): boolean {
  return c.res.status === 200 && c.get("place") !== undefined;
}

/** Responds that the client's copy is current, if no fault has removed the entity-tag. */
function confirmCopy(c: MockContext, condition: string): void {
  const { headers } = c.res;
  const etag = headers.get("ETag");
  if (etag === null || !isCurrent(condition, etag)) return;
  for (const name of ["Content-Type", "Data-Source", "Link"]) headers.delete(name);
  c.res = new Response(null, { status: 304, headers });
}
