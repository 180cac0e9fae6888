import { respondWithError } from "../http/error-response.ts";
import { formatThrottling, HttpError, InvalidPageError, MethodNotAllowedError } from "../http/errors.ts";
import { COLLECTION_METHODS, NO_STORE } from "../http/headers.ts";
import type { PageRequest } from "../http/request.ts";
import type { Collection } from "../store/cached-store.ts";
import { type AppliedOptions, isChanged } from "./applied-options.ts";
import { changesBody, createClosedResponse, isSentInParts, replacesBody } from "./body-faults.ts";
import { formatOptions, type OptionName, type OptionValues } from "./option-table.ts";
import { changePage, changesPage } from "./page-faults.ts";
import { quoteValue } from "./prefer-header.ts";

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

/** A response, whose body is not broken yet, and what decided about it. */
interface Outcome extends Pick<AppliedOptions, "changes" | "page" | "isClosed"> {
  response: Response;
  /** The options that decided, if they are set. */
  deciding: OptionName[];
}

interface OutcomeContext {
  /** Whether the wait was ended, so that the connection closes. */
  isInterrupted: boolean;
  /** When the rate of the rule allows more requests, if it has one. In milliseconds since 1970-01-01 UTC. */
  retryAt: number | undefined;
  /** The time after the wait. In milliseconds since 1970-01-01 UTC. */
  now: number;
  serve: Serve;
  collection: Collection;
  draw(purpose: string): number;
}

/** Closes the connection, responds with the requested error, or serves the request and changes the page. */
export async function createOutcome(
  request: PageRequest,
  options: OptionValues,
  context: OutcomeContext,
): Promise<Outcome> {
  const { code, hang, close } = options;
  if (context.isInterrupted || close)
    return { response: createClosedResponse(), deciding: ["hang", "close"], changes: [], isClosed: true };
  if (code === undefined && !hang) return servePage(request, options, context);
  const error = createRequestedError(options, request.method, context);
  const response = respondWithError(error, request.c);
  return { response, deciding: ["code", "body", "hang", "retry-after"], changes: [] };
}

async function servePage(
  request: PageRequest,
  options: OptionValues,
  { serve, collection, draw }: Pick<OutcomeContext, "serve" | "collection" | "draw">,
): Promise<Outcome> {
  const { body } = options;
  const changesText = changesPage(options) || changesBody(body);
  // A client with a copy of the page would get a 304, which has no body to change or to slow down.
  const asked = changesText || body === "slow" ? { ...request, ifNoneMatch: undefined } : request;
  // Body faults also apply to errors, so an error becomes a response here.
  const response = await serve(asked, collection).catch((error) => respondWithError(error, request.c));
  const isPastTheEnd = request.page !== undefined && request.c.var.error instanceof InvalidPageError;
  if (isPastTheEnd) return { response, deciding: ["body", "grow"], changes: [] };
  const hasPage = response.status < 400 && request.method !== "OPTIONS";
  if (!hasPage) return { response, deciding: ["body"], changes: [] };
  if (!changesText) return { response, deciding: ["body", "grow"], changes: [] };
  const page = JSON.parse(await response.text());
  if (replacesBody(body)) return { response, deciding: ["body"], changes: [], page };
  const changes = changePage(page, options, draw);
  const deciding: OptionName[] = ["body", "grow", ...changes.map(({ option }) => option)];
  return { response: new Response(JSON.stringify(page), response), deciding, changes, page };
}

/** Creates the error of `code` or `hang`, with the headers of its status. A 426 has no `Upgrade`, because the runtime removes that header. */
function createRequestedError(
  { code = 503, "retry-after": retryAfter }: OptionValues,
  method: string,
  { retryAt, now }: Pick<OutcomeContext, "retryAt" | "now">,
): HttpError {
  const isRetryable = code === 429 || code === 503;
  const hasRetryAfter = retryAfter === undefined ? isRetryable : retryAfter !== "none";
  if (!hasRetryAfter) return createError(code, method);
  const defaultMs = retryAt === undefined ? DEFAULT_RETRY_MS : Math.max(0, retryAt - now);
  const waitMs = typeof retryAfter === "number" ? 1_000 * retryAfter : defaultMs;
  const seconds = Math.ceil(waitMs / 1_000);
  // Rounded up, because an HTTP date has whole seconds.
  const date = new Date(1_000 * Math.ceil((now + waitMs) / 1_000));
  const value = retryAfter === "date" ? date.toUTCString() : String(seconds);
  const { message, headers } = createError(code, method);
  const detail = code === 429 ? formatThrottling(seconds) : message;
  return new HttpError(code, { detail, headers: { ...headers, "Retry-After": value } });
}

function createError(code: number, method: string): HttpError {
  if (code === 401) return new HttpError(401, { headers: { "WWW-Authenticate": CHALLENGE } });
  if (code === 405) return new MethodNotAllowedError(method, COLLECTION_METHODS);
  if (code === 407) return new HttpError(407, { headers: { "Proxy-Authenticate": CHALLENGE } });
  return new HttpError(code);
}

/**
 * Sets `Preference-Applied`, `Mock-Warning`, and the headers for caches. A page keeps its entity-tag unless a fault has changed its body.
 *
 * Caches revalidate each page, so that their clients meet the next fault. They must not store a changed body, a response with a warning, or
 * a response to the header `Prefer`: without `Vary: Prefer`, which the specification does not have, clients without the header would get it.
 */
export function setFaultHeaders({ status, headers }: Response, applied: AppliedOptions): void {
  const { source, options, warnings } = applied;
  const listed = formatOptions(options).map(quoteValue).join(", ");
  const hasOtherBody = isChanged(applied);
  const canBeStored = !hasOtherBody && source !== "header" && warnings.length === 0;
  if (hasOtherBody) headers.delete("ETag");
  // An error has `no-store` already.
  if (status < 400) headers.set("Cache-Control", canBeStored ? NO_CACHE : NO_STORE);
  if (isSentInParts(options.body)) {
    // Compression would buffer a slow body and the part before a cut. The platform respects `no-transform` (RFC 9111, 5.2.2.6), and
    // `wrangler dev` compresses every response without a Content-Encoding, so it is set to `identity`: no encoding.
    headers.append("Cache-Control", "no-transform");
    headers.set("Content-Encoding", "identity");
  }
  if (listed !== "") headers.set("Preference-Applied", listed);
  if (warnings.length > 0) headers.set("Mock-Warning", warnings.join(" "));
}
