import { respondWithError } from "../http/error-response.ts";
import { formatThrottling, HttpError, MethodNotAllowedError } from "../http/errors.ts";
import { COLLECTION_METHODS, NO_STORE } from "../http/headers.ts";
import type { PageRequest } from "../http/request.ts";
import type { Collection } from "../store/cached-store.ts";
import { addConditions, type Effects, formatOptions, isChanged } from "./applied-options.ts";
import { createClosedResponse, isSentInParts, replacesBody } from "./body-faults.ts";
import type { FaultOptions } from "./fault-options.ts";
import type { OptionValues } from "./option-table.ts";
import { changePage, changesPage, formatPage } from "./page-faults.ts";

/** `Retry-After` of a requested 429 or 503: shorter than in the service's own errors, because tests wait this long. */
export const DEFAULT_RETRY_MS = 2_000;

/** With the scheme `Basic`, browsers would prompt for a password. */
const CHALLENGE = 'Bearer realm="api"';

/** `Cache-Control` of a page that caches must revalidate, because the next response can have a fault. */
const NO_CACHE = "no-cache";

/** Every `Cache-Control` of a response to a request with options. */
export const FAULT_CACHE_CONTROLS = [NO_CACHE, NO_STORE].flatMap((one) => [one, `${one}, no-transform`]);

/** Responds to a request, without faults. */
export type Serve = (request: PageRequest, collection: Collection) => Promise<Response>;

interface ResponseContext {
  serve: Serve;
  collection: Collection;
  /** Whether the wait was ended, so that the connection closes. */
  isInterrupted: boolean;
  draw(purpose: string): number;
  /** When the rate of the rule allows more requests, if it has one. In milliseconds since 1970-01-01 UTC. */
  retryAt: number | undefined;
  /** The time after the wait. In milliseconds since 1970-01-01 UTC. */
  now: number;
}

/**
 * Closes the connection, responds with the requested error, or serves the request and changes the page.
 * @returns The response, whose body is not broken yet, and what has affected it
 */
export async function createResponse(
  request: PageRequest,
  options: OptionValues,
  { serve, collection, isInterrupted, draw, retryAt, now }: ResponseContext,
): Promise<{ response: Response; effects: Effects }> {
  const { c, method } = request;
  const { code, delay, body, hang, close, grow, "retry-after": retryAfter } = options;
  const isClosed = isInterrupted || close === true;
  const respond = (
    response: Response,
    applied: OptionValues,
    changed: Pick<Effects, "changes" | "page"> = { changes: [] },
  ) => {
    const effects = { options: addConditions({ delay, ...applied }, options), isClosed, ...changed };
    return { response, effects };
  };
  if (isClosed) return respond(createClosedResponse(), { hang, close });
  if (code !== undefined || hang) {
    const error = createRequestedError(options, method, { retryAt, now });
    return respond(respondWithError(error, c), { code, body, hang, "retry-after": retryAfter });
  }
  // Body faults also apply to errors, so an error becomes a response here.
  const canChangeBody = body !== undefined || changesPage(options);
  const asked = canChangeBody ? { ...request, copies: undefined } : request;
  const response = await serve(asked, collection).catch((error) => respondWithError(error, c));
  const isPage = response.status < 400 && method !== "OPTIONS";
  if (!isPage) return respond(response, { body });
  const keepsText = (body === undefined || body === "slow") && !changesPage(options);
  if (keepsText) return respond(response, { body, grow });
  // Never a 304: a request for a changed page ignores the client's copy.
  const page = JSON.parse(await response.text());
  if (replacesBody(body)) return respond(response, { body }, { page, changes: [] });
  const changes = changePage(page, options, draw);
  const changed = Object.fromEntries(changes.map(({ option }) => [option, options[option]]));
  return respond(new Response(formatPage(page), response), { body, grow, ...changed }, { page, changes });
}

/** Creates the error of `code` or `hang`, with the headers of its status. A 426 has no `Upgrade`, because the runtime removes that header. */
function createRequestedError(
  { code = 503, "retry-after": retryAfter }: OptionValues,
  method: string,
  { retryAt, now }: Pick<ResponseContext, "retryAt" | "now">,
): HttpError {
  const defaultMs = retryAt === undefined ? DEFAULT_RETRY_MS : Math.max(0, retryAt - now);
  const waitMs = typeof retryAfter === "number" ? 1_000 * retryAfter : defaultMs;
  const seconds = Math.ceil(waitMs / 1_000);
  const { message: detail, headers } = createError(code, method, seconds);
  const isRetryable = code === 429 || code === 503;
  const hasRetryAfter = retryAfter === undefined ? isRetryable : retryAfter !== "none";
  if (!hasRetryAfter) return new HttpError(code, { detail, headers });
  // Rounded up, because an HTTP date has whole seconds.
  const date = new Date(1_000 * Math.ceil((now + waitMs) / 1_000));
  const value = retryAfter === "date" ? date.toUTCString() : String(seconds);
  return new HttpError(code, { detail, headers: { ...headers, "Retry-After": value } });
}

function createError(code: number, method: string, seconds: number): HttpError {
  if (code === 401) return new HttpError(401, { headers: { "WWW-Authenticate": CHALLENGE } });
  if (code === 405) return new MethodNotAllowedError(method, COLLECTION_METHODS);
  if (code === 407) return new HttpError(407, { headers: { "Proxy-Authenticate": CHALLENGE } });
  if (code === 429) return new HttpError(429, { detail: formatThrottling(seconds) });
  return new HttpError(code);
}

/**
 * Sets `Preference-Applied`, `Mock-Warning`, and the headers for caches. A page keeps its entity-tag unless a fault has changed its body.
 *
 * Caches must not store a changed body, a response with a warning, or one that the header `Prefer` has affected, because the specification
 * leaves no `Vary: Prefer` (RFC 7240, 2). They revalidate all other pages, so that a client with a cache meets the next fault. After a 304
 * with `no-store`, caches drop their copy (RFC 9111, 3.2), and after one without `Preference-Applied`, they keep the old one (RFC 9111,
 * 4.3.4): neither changes the records.
 */
export function setFaultHeaders(
  { status, headers }: Response,
  effects: Effects,
  { warnings, source }: Pick<FaultOptions, "warnings" | "source">,
): void {
  const { options } = effects;
  const applied = formatOptions(options).join(", ");
  const hasOtherBody = isChanged(effects);
  const isAffectedByHeader = warnings.length > 0 || (source === "header" && applied !== "");
  const canBeStored = !hasOtherBody && !isAffectedByHeader;
  if (hasOtherBody) headers.delete("ETag");
  // No cache may store an error, with or without faults.
  if (status < 400) headers.set("Cache-Control", canBeStored ? NO_CACHE : NO_STORE);
  if (isSentInParts(options.body)) preventCompression(headers);
  if (applied !== "") headers.set("Preference-Applied", applied);
  if (warnings.length > 0) headers.set("Mock-Warning", warnings.join(" "));
}

/**
 * Prevents compression, which would buffer a slow body and the part before a cut. The platform respects `no-transform` (RFC 9111, 5.2.2.6).
 * `wrangler dev` compresses every response without a Content-Encoding, so the header is set to `identity`: no encoding.
 */
function preventCompression(headers: Headers): void {
  headers.append("Cache-Control", "no-transform");
  headers.set("Content-Encoding", "identity");
}
