import { respondWithError } from "../http/error-response.ts";
import type { PageRequest } from "../http/page-request.ts";
import { type AppliedOptions, addConditions } from "./applied-options.ts";
import { createClosedResponse, listBodyChanges, replacesBody } from "./body-faults.ts";
import type { OptionValues } from "./option-table.ts";
import { type BodyChange, changePage, changesPage } from "./page-faults.ts";
import { createRequestedError } from "./requested-error.ts";

/** What faults ask of the route. */
export interface ServeOptions {
  /** Returns how many of the newest records are hidden, given the number of all. By default, none are. */
  countHidden?: ((count: number) => number) | undefined;
  /** Whether the response is the page even if the client has a current copy. */
  ignoresCopy?: boolean;
}

/** How the route responds. */
export interface Route {
  serve(request: PageRequest, options: ServeOptions): Promise<Response>;
  /** Finds the number of the last page, without reading a record. */
  findLastPage(request: PageRequest, options: ServeOptions): Promise<number>;
}

interface ResponseContext {
  serve(options: ServeOptions): Promise<Response>;
  /** Whether the connection closes before the response. */
  isClosed: boolean;
  random(purpose: string): number;
  /** When the client may send more requests, if the error is about their rate. */
  retryAt: number | undefined;
  /** Milliseconds since 1970-01-01 UTC, after the wait. */
  now: number;
}

interface FaultResponse extends AppliedOptions {
  /** Its body is not broken yet. */
  response: Response;
}

/** Closes the connection, responds with the requested error, or serves the request and changes the page. */
export async function createFaultResponse(
  { c, method }: PageRequest,
  active: OptionValues,
  { serve, isClosed, random, ...times }: ResponseContext,
): Promise<FaultResponse> {
  const { code, delay, body, hang, close, grow, "retry-after": retryAfter } = active;
  const respond = (response: Response, effects: OptionValues, changes: BodyChange[] = []) => ({
    response,
    values: addConditions({ delay, ...effects }, active),
    changes: [...changes, ...listBodyChanges(effects.body)],
  });
  if (isClosed) return respond(createClosedResponse(), { hang, close });
  if (code !== undefined || hang) {
    const error = createRequestedError(active, { method, ...times });
    return respond(respondWithError(error, c), { code, body, hang, "retry-after": retryAfter });
  }
  // An error becomes a response here already, because body faults also apply to errors.
  const response = await serve({ ignoresCopy: body !== undefined || changesPage(active) }).catch((error) =>
    respondWithError(error, c),
  );
  const isPage = response.status < 400 && method !== "OPTIONS";
  if (!isPage || replacesBody(body)) return respond(response, { body });
  if (!changesPage(active)) return respond(response, { body, grow });
  // Never a 304: a request for a changed page ignores the client's copy.
  const page = JSON.parse(await response.text());
  const changes = changePage(page, active, random);
  const effects = Object.fromEntries(changes.map(({ option }) => [option, active[option]]));
  return respond(new Response(JSON.stringify(page), response), { body, grow, ...effects }, changes);
}
