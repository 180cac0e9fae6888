import type { Context, Next } from "hono";
import { HttpError, methodNotAllowed, throttled } from "../http/errors.ts";
import { breakBody, faultHeaders, wait } from "./body-faults.ts";
import { createRandom, type Decision, decide, requestKey } from "./decision.ts";
import { readOptions } from "./options.ts";
import { readPreferHeader } from "./prefer-header.ts";

type RespondWithError = (error: Error, c: Context) => Promise<Response>;

/** What the mock changes in the response to a request. */
interface ResponseOverride {
  decision: Decision;
  warnings: string[];
}

/**
 * Creates the mock, which makes responses fail as the header `Prefer` and the query parameter `prefer` ask. The header
 * takes precedence. No response has `Vary: Prefer`, although RFC 7240, 2 asks for it, because the specification shows the
 * value of `Vary` on a page. So a cache may respond with a stored page, as if it did not know the preference. Responses
 * that the mock changed are never stored.
 * @param respondWithError also responds to real errors
 */
export function createMock(respondWithError: RespondWithError) {
  const overrides = new WeakMap<Context, ResponseOverride>();

  async function respond(c: Context, next: Next): Promise<void> {
    const override = await decideAbout(c);
    if (override === undefined) return next();
    overrides.set(c, override);
    removeCondition(c);
    const { delayMs, status } = override.decision;
    await wait(delayMs);
    if (status === undefined) await next();
    else c.res = await respondWithError(createError(status, c.req.method), c);
    const response = await overrideResponse(c.res, override);
    // Without this line Hono copies the headers of the old response to the new one.
    c.res = undefined;
    c.res = response;
  }

  return {
    handle(c: Context, next: Next): Promise<void> {
      // Skip parsing unless the request may contain `prefer`, whose name may be percent-encoded.
      const isUnused = c.req.header("Prefer") === undefined && !/prefer=|%/.test(c.req.url);
      return isUnused ? next() : respond(c, next);
    },

    /** The headers as the client receives them, for a page that shows the headers of its own response. */
    finalHeaders(c: Context, headers: Headers): Headers {
      const final = new Headers(headers);
      const override = overrides.get(c);
      if (override) overrideHeaders(final, override);
      return final;
    },
  };
}

/** @returns undefined if the request has no option of the mock, not even an invalid one */
async function decideAbout(c: Context): Promise<ResponseOverride | undefined> {
  const url = new URL(c.req.url);
  const texts = [c.req.header("Prefer") ?? "", ...url.searchParams.getAll("prefer")];
  const { options, warnings } = readOptions(texts.flatMap(readPreferHeader));
  const decision = await decide(options, createRandom(options.seed, requestKey(c.req.method, url)));
  return decision.applied.length === 0 && warnings.length === 0 ? undefined : { decision, warnings };
}

/** Responses that must not be stored are never 304 either. */
function removeCondition(c: Context): void {
  if (c.req.header("If-None-Match") === undefined) return;
  const headers = new Headers(c.req.raw.headers);
  headers.delete("If-None-Match");
  c.req.raw = new Request(c.req.raw, { headers });
}

async function overrideResponse(original: Response, override: ResponseOverride): Promise<Response> {
  const { decision, warnings } = override;
  const body = original.body === null ? undefined : decision.body;
  const response = new Response(original.body, original);
  overrideHeaders(response.headers, { decision: { ...decision, body }, warnings });
  return body ? breakBody(response, body) : response;
}

function overrideHeaders(
  headers: Headers,
  { decision: { body, applied }, warnings }: ResponseOverride,
): void {
  const done = body ? applied : applied.filter((option) => !option.startsWith("body="));
  headers.delete("ETag");
  headers.set("Cache-Control", "no-store");
  if (done.length > 0) headers.set("Preference-Applied", done.join(", "));
  if (warnings.length > 0) headers.set("Mock-Warning", warnings.join("; "));
  for (const [name, value] of Object.entries(body ? faultHeaders(body) : {})) headers.set(name, value);
}

/** Shorter than for real errors, because tests wait for it. */
const RETRY_AFTER_SECONDS = 2;

/** Headers that a status requires (RFC 9110, 11.6.1 and 11.7.1) or that help the client (10.2.3). */
const HEADERS: Record<number, Record<string, string>> = {
  // Not Basic: browsers would ask for a password.
  401: { "WWW-Authenticate": 'Bearer realm="api"' },
  407: { "Proxy-Authenticate": 'Bearer realm="api"' },
  503: { "Retry-After": String(RETRY_AFTER_SECONDS) },
};

/**
 * Creates the error of a status. In a 426 the header `Upgrade` (RFC 9110, 15.5.22) is missing, because the runtime removes
 * it.
 * @param status 400 to 599
 * @param method the method of the request
 */
function createError(status: number, method: string): HttpError {
  const { message, headers } = usualError(status, method);
  return new HttpError(status, { detail: message, headers, reason: { code: "mock" } });
}

function usualError(status: number, method: string): HttpError {
  if (status === 405) return methodNotAllowed(method, "GET, OPTIONS");
  if (status === 429) return throttled(RETRY_AFTER_SECONDS);
  return new HttpError(status, { headers: HEADERS[status] });
}
