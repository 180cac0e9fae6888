import type { Context, Next } from "hono";
import { HttpError, respondWithError } from "../http/errors.ts";
import { dropCondition } from "../http/headers.ts";
import { readQuery } from "../http/request.ts";
import { findLocation } from "../records/route.ts";
import { breakBody, wait } from "./body-faults.ts";
import { decide, hasEffect, isOnTarget } from "./decision.ts";
import { createOverride } from "./override.ts";
import { countHidden } from "./page-faults.ts";
import { type Preferences, readPreferences } from "./prefer.ts";
import { type Counter, createCounter, createRandom, requestKey } from "./request-key.ts";
import { createError } from "./status-faults.ts";

interface MockSettings {
  /** The clock of `until`, `grow` and `retry-after=date`: milliseconds since 1970-01-01 UTC. */
  now(): number;
}

/** Clients and proxies give up before this time. */
const HANG_MS = 300_000;

/**
 * Creates the mock, which makes responses fail as the header `Prefer` and the query parameter `prefer` ask. No response has
 * `Vary: Prefer`, although RFC 7240, 2 asks for it, because the specification shows the value of `Vary` on a page. So a cache
 * may respond to the header with a page that it stored before. Responses with a fault are never stored.
 */
export function createMock(settings: MockSettings) {
  const counter = createCounter();
  return {
    /** @throws 400 if the query has an unknown or an invalid option */
    handle(c: Context, next: Next): Promise<void> {
      // Skip parsing unless the request may contain `prefer`, whose name may be percent-encoded.
      const isUnused = c.req.header("Prefer") === undefined && !/prefer=|%/.test(c.req.url);
      return isUnused ? next() : respond(c, next, { ...settings, counter });
    },

    /** Forgets all requests that `times` has counted. */
    reset: counter.reset,
  };
}

type Mock = MockSettings & { counter: Counter };

async function respond(c: Context, next: Next, mock: Mock): Promise<void> {
  const preferences = readPreferences(c.req.header("Prefer") ?? "", readQuery(c.req.url).getAll("prefer"));
  const { options, warnings, errors } = preferences;
  if (errors.length > 0) throw new HttpError(400, { detail: errors.join(" ") });
  const isUsed = Object.keys(options).length > 0 || warnings.length > 0;
  return isUsed ? change(c, next, mock, preferences) : next();
}

/** Decides first, then lets the service or an error respond, and then changes the response. */
async function change(c: Context, next: Next, mock: Mock, preferences: Preferences): Promise<void> {
  const { options } = preferences;
  const { on, grow } = options;
  const { method } = c.req;
  const [key, now] = [requestKey(method, new URL(c.req.url)), mock.now()];
  const random = createRandom(options.seed, key);
  if (grow) c.set("hide", (count: number) => countHidden(count, grow, now));
  const isTarget = on === undefined || isOnTarget(on, await findLocation(c));
  const count = () => mock.counter.count(`${key} ${[...preferences.texts.values()]}`);
  const decision = await decide(options, { isTarget, now, count, random });
  const override = createOverride(preferences, decision, random);
  const { delayMs = 0, status, faults } = decision;
  await wait(faults.hang ? HANG_MS : delayMs, c.req.raw.signal);
  if (status === undefined) {
    c.set("override", override);
    if (hasEffect(decision)) dropCondition(c);
    await next();
  } else {
    c.set("fault", true);
    c.res = respondWithError(createError(status, method, now, options), c);
  }
  override.changeHeaders(c.res.headers, c.res.body !== null);
  if (faults.body && c.res.body) c.res = new Response(await breakBody(c.res, faults.body), c.res);
}
