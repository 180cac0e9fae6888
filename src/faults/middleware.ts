import type { Next } from "hono";
import type { CollectionContext } from "../env.ts";
import { HttpError, respondWithError } from "../http/errors.ts";
import { dropCondition, ERROR_CACHING, isCurrent } from "../http/headers.ts";
import { identifyClient } from "../http/rate-limit.ts";
import { hasPreferences } from "../http/request.ts";
import { COLLECTION_PATH } from "../records/page.ts";
import { createCounter, createRandom, decide, pageKey, type RandomSource, requestKey } from "./decision.ts";
import { OPTION_NAMES, type OptionName } from "./options.ts";
import { changePage, countHidden } from "./page-faults.ts";
import { type Preferences, readPreferences, requirePreferences } from "./prefer.ts";
import { breakBody, createClosing, createError } from "./response-faults.ts";
import { createWaiting } from "./waiting.ts";

interface Mock {
  now(): number;
  counter: ReturnType<typeof createCounter>;
  wait: ReturnType<typeof createWaiting>;
}

/**
 * Creates the mock, which makes responses fail as the header `Prefer` and the query parameter `prefer` ask, and those of the
 * collection also as the setting `PREFER` asks. No response has `Vary: Prefer`, although RFC 7240, 2 asks for it, because the
 * specification shows the value of `Vary` on a page. So a cache may respond to the header with a page that it stored before.
 * Responses with a fault are never stored.
 * @param now the clock of `until`, `grow` and `retry-after=date`: milliseconds since 1970-01-01 UTC
 */
export function createMock(now: () => number) {
  const mock: Mock = { now, counter: createCounter(), wait: createWaiting() };
  return {
    /** @throws 400 if the query has an unknown or an invalid option */
    handle(c: CollectionContext, next: Next): Promise<void> {
      // With FAULTS off, `prefer` is a parameter and `Prefer` a header without meaning.
      if (c.env.FAULTS === "off") return next();
      return c.env.PREFER || hasPreferences(c) ? followPreferences(c, next, mock) : next();
    },

    /** Forgets all requests that `times` has counted. */
    reset: mock.counter.reset,
  };
}

/** Finds the preferences of a request, and responds as they ask. One valid option, such as `none`, replaces those of the deployment. */
async function followPreferences(c: CollectionContext, next: Next, mock: Mock): Promise<void> {
  const own = readPreferences(c.req.header("Prefer") ?? "", new URL(c.req.url).searchParams.getAll("prefer"));
  if (own.errors.length > 0) throw new HttpError(400, { detail: own.errors.join(" ") });
  const { PREFER } = c.env;
  const asked = own.texts.size > 0 || !PREFER ? own : requirePreferences("PREFER", PREFER);
  const { grow } = asked.options;
  const now = mock.now();
  if (grow) c.set("hide", (count) => countHidden(count, grow, now));
  // Elsewhere, only `grow` of PREFER applies, so that `/go` leads to a page of the view that is shown.
  const { options, texts } = c.req.path === COLLECTION_PATH ? asked : own;
  const client = texts === own.texts ? identifyClient(c) : undefined;
  if (texts.size === 0 && own.warnings.length === 0) return next();
  const serve = async () => {
    await next();
    const response = c.res;
    // Otherwise Hono would copy the headers of this response to the one that replaces it.
    c.res = undefined;
    return response;
  };
  c.res = await respond(c, serve, mock, { ...own, options, texts }, client);
}

/**
 * Decides, waits, and responds with an error or with the changed response of the service.
 * @param serve lets the service respond. With `on` it responds first, because it finds the page that is decided about
 * @param client who asked for the response; undefined if the deployment did
 */
async function respond(
  c: CollectionContext,
  serve: () => Promise<Response>,
  mock: Mock,
  preferences: Preferences,
  client: string | undefined,
): Promise<Response> {
  const { options, texts } = preferences;
  const { method, raw } = c.req;
  const url = new URL(c.req.url);
  const now = mock.now();
  const random = createRandom(options.seed, pageKey(method, url));
  // A response that a fault will change must have a body.
  const condition = dropCondition(c);
  let response = options.on && (await serve());
  // Requests with other options are counted by themselves.
  const count = () => mock.counter.count(`${requestKey(method, url)} ${[...texts.values()]}`);
  const decided = decide(options, { page: c.get("page"), now, count, random });
  const decision = await mock.wait(decided, raw.signal, client);
  if (decision.faults.close) response = createClosing();
  else if (decision.status !== undefined) {
    c.set("fault", true);
    response = respondWithError(createError(decision.status, method, now, options), c);
  } else response ??= await serve();
  const isPage = response.status === 200 && c.get("page") !== undefined;
  const [changed, faults] = await changeResponse(response, isPage, decision, random);
  if (faults.includes("body")) c.set("isBroken", true);
  else decision.end();
  announce(changed.headers, preferences, faults, isPage);
  return condition === undefined ? changed : confirmCopy(changed, condition);
}

/** @returns the changed response, and the options that took effect, without limits */
async function changeResponse(
  response: Response,
  isPage: boolean,
  { isDelayed, bodyMs, status, faults, end }: Awaited<ReturnType<Mock["wait"]>>,
  random: RandomSource,
): Promise<[Response, OptionName[]]> {
  const names: OptionName[] = isDelayed ? ["delay"] : [];
  if (faults.close) return [response, [...names, "close"]];
  if (status !== undefined) names.push("code", "hang");
  if (status === 429 || status === 503) names.push("retry-after");
  const [page, applied] = isPage ? await changePage(response, faults, random) : [response, []];
  names.push(...applied);
  if (!faults.body || !page.body) return [page, names];
  return [await breakBody(page, faults.body, bodyMs, end), [...names, "body"]];
}

/** The options that limit faults. `fail` does not limit a delay. */
const LIMITS: OptionName[] = ["on", "until", "times", "seed"];

/**
 * Sets the headers of a response to a request with preferences: those for caches, the options that were applied (RFC 7240, 3), and the
 * preferences that are wrong.
 * @param faults the options that took effect, without limits
 */
function announce(
  headers: Headers,
  { options, texts, warnings }: Preferences,
  faults: OptionName[],
  isPage: boolean,
): void {
  // A cache must not give the text of a client to others, not even with a 304 (RFC 9111, 4.3.4).
  const isForOne = faults.length > 0 || warnings.length > 0;
  if (isForOne) headers.delete("ETag");
  // Without a fault, a cache must ask again, because the next response may have one.
  if (!headers.get("Cache-Control")?.startsWith(ERROR_CACHING))
    headers.set("Cache-Control", isForOne ? ERROR_CACHING : "no-cache");
  const names = new Set(faults.length > 0 ? [...faults, ...LIMITS] : []);
  if (faults.some((name) => name !== "delay")) names.add("fail");
  // It changes every page, but is not a fault.
  if (options.grow && isPage) names.add("grow");
  const applied = OPTION_NAMES.filter((name) => names.has(name)).flatMap((name) => texts.get(name) ?? []);
  if (applied.length > 0) headers.set("Preference-Applied", applied.join(", "));
  if (warnings.length > 0) headers.set("Mock-Warning", warnings.join(" "));
}

/** Responds that the client's copy is current, if no fault has removed the entity-tag. */
function confirmCopy(response: Response, condition: string): Response {
  const headers = new Headers(response.headers);
  const etag = headers.get("ETag");
  if (etag === null || !isCurrent(condition, etag)) return response;
  for (const name of ["Content-Type", "Data-Source", "Link"]) headers.delete(name);
  return new Response(null, { status: 304, headers });
}
