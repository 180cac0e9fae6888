import type { Context, Next } from "hono";
import type { CollectionEnv } from "../env.ts";
import { HttpError, respondWithError } from "../http/errors.ts";
import { dropCondition, isCurrent } from "../http/headers.ts";
import { readQuery } from "../http/request.ts";
import { COLLECTION_PATH } from "../records/page.ts";
import { announce, listCertain } from "./announce.ts";
import {
  createCounter,
  createRandom,
  type Decision,
  decide,
  pageKey,
  type RandomSource,
  requestKey,
} from "./decision.ts";
import type { OptionName } from "./options.ts";
import { changePage, countHidden, hasPageFault } from "./page-faults.ts";
import { type Preferences, readPreferences, requirePreferences } from "./prefer.ts";
import { BODY_FAULT_HEADERS, breakBody, createClosing, createError } from "./response-faults.ts";
import { createWaiting, tooManyWaiting } from "./waiting.ts";

type MockContext = Context<CollectionEnv>;

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
    handle(c: Context, next: Next): Promise<void> {
      // Then `prefer` is a parameter and `Prefer` a header without meaning.
      if (c.env.FAULTS === "off") return next();
      // Skip parsing unless the request may contain `prefer`, whose name may be percent-encoded.
      const isUsed = c.env.PREFER || c.req.header("Prefer") !== undefined || /prefer=|%/.test(c.req.url);
      return isUsed ? respond(c, next, mock) : next();
    },

    /** Forgets all requests that `times` has counted. */
    reset: mock.counter.reset,
  };
}

/** Finds the preferences of a request. One valid option, such as `none`, replaces all those of the deployment. */
async function respond(c: MockContext, next: Next, mock: Mock): Promise<void> {
  const own = readPreferences(c.req.header("Prefer") ?? "", readQuery(c.req.url).getAll("prefer"));
  if (own.errors.length > 0) throw new HttpError(400, { detail: own.errors.join(" ") });
  const { options, texts } = own.texts.size > 0 ? own : readDeployment(c);
  const [{ grow }, now] = [options, mock.now()];
  if (grow) c.set("hide", (count) => countHidden(count, grow, now));
  const isUsed = texts.size > 0 || own.warnings.length > 0;
  return isUsed ? change(c, next, mock, { ...own, options, texts }) : next();
}

/** The preferences of the deployment. On other paths than the collection, it has only `grow`, so that `/go` counts in the same view. */
function readDeployment({ env, req }: MockContext): Pick<Preferences, "options" | "texts"> {
  const preferences = requirePreferences("PREFER", env.PREFER ?? "");
  if (req.path === COLLECTION_PATH) return preferences;
  return { options: { grow: preferences.options.grow }, texts: new Map() };
}

/** Decides, waits, lets the service or an error respond, and changes the response. With `on`, the service responds first. */
async function change(c: MockContext, next: Next, mock: Mock, preferences: Preferences): Promise<void> {
  const { options, texts } = preferences;
  const { on, grow, seed } = options;
  const { method, raw } = c.req;
  const [url, now] = [new URL(c.req.url), mock.now()];
  const random = createRandom(seed, pageKey(method, url));
  // A response that a fault will change must have a body.
  const condition = dropCondition(c);
  if (on) await next();
  // Requests with other options are counted by themselves.
  const count = () => mock.counter.count(`${requestKey(method, url)} ${[...texts.values()]}`);
  const decision = decide(options, { page: c.get("page"), now, count, random });
  if (!(await mock.wait(decision, raw.signal)))
    return replaceResponse(c, () => respondWithError(tooManyWaiting(), c));
  if (decision.faults.close) replaceResponse(c, createClosing);
  else if (decision.status !== undefined) fail(c, createError(decision.status, method, now, options));
  else if (!on) await next();
  const applied = await changeResponse(c, decision, random);
  announce(c.res.headers, preferences, applied, grow !== undefined && isPage(c));
  if (condition !== undefined) confirmCopy(c, condition);
}

/** Responds with an error that was asked for. */
function fail(c: MockContext, error: HttpError): void {
  c.set("fault", true);
  replaceResponse(c, () => respondWithError(error, c));
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
    const changed = changePage(await c.res.text(), faults, random);
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
  return c.res.status === 200 && c.get("page") !== undefined;
}

/** Responds that the client's copy is current, if no fault has removed the entity-tag. */
function confirmCopy(c: MockContext, condition: string): void {
  const { headers } = c.res;
  const etag = headers.get("ETag");
  if (etag === null || !isCurrent(condition, etag)) return;
  for (const name of ["Content-Type", "Data-Source", "Link"]) headers.delete(name);
  c.res = new Response(null, { status: 304, headers });
}
