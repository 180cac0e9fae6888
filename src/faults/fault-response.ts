import { respondWithError } from "../http/error-response.ts";
import type { PageRequest } from "../http/page-request.ts";
import type { PageLocation } from "../records/page.ts";
import { type AppliedOptions, addConditions } from "./applied-options.ts";
import { createClosedResponse, listBodyChanges, replacesBody } from "./body-faults.ts";
import type { OptionValues } from "./option-table.ts";
import { type BodyChange, changePage, changesPage } from "./page-faults.ts";
import type { RandomSource } from "./random.ts";
import { createRequestedError, isRetryable, type RequestTimes } from "./requested-error.ts";

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
  /** Locates the requested page, without reading a record. Returns undefined if the collection does not have the page. */
  locate(request: PageRequest, options: ServeOptions): Promise<PageLocation | undefined>;
}

interface ResponseContext {
  route: Route;
  serveOptions: ServeOptions;
  random: RandomSource;
  times: RequestTimes;
}

interface FaultResponse {
  /** Its body is not broken yet. */
  response: Response;
  applied: AppliedOptions;
}

/** Closes the connection, responds with the requested error, or serves the request and changes the page. */
export async function createFaultResponse(
  request: PageRequest,
  active: OptionValues,
  { route, serveOptions, random, times }: ResponseContext,
): Promise<FaultResponse> {
  const { code, delay, body, hang, close, grow } = active;
  const respond = (response: Response, effects: OptionValues, changes: BodyChange[] = []) => ({
    response,
    applied: {
      values: addConditions(effects, active),
      changes: [...changes, ...listBodyChanges(effects.body)],
    },
  });
  if (close) return respond(createClosedResponse(), { delay, hang, close });
  if (code !== undefined || hang) {
    const error = createRequestedError(active, request.method, times);
    const retryAfter = isRetryable(error.status) ? active["retry-after"] : undefined;
    return respond(respondWithError(error, request.c), {
      code,
      delay,
      body,
      hang,
      "retry-after": retryAfter,
    });
  }
  const response = await serveWithErrors(request, route, serveOptions);
  const isPage = response.status < 400 && request.method !== "OPTIONS";
  if (!isPage || replacesBody(body)) return respond(response, { delay, body });
  if (!changesPage(active)) return respond(response, { delay, body, grow });
  // Never a 304: a request for a changed page ignores the client's copy.
  const page = JSON.parse(await response.text());
  const changes = changePage(page, active, random);
  const effects = Object.fromEntries(changes.map(({ option }) => [option, active[option]]));
  const changed = new Response(JSON.stringify(page), response);
  return respond(changed, { delay, body, grow, ...effects }, changes);
}

/** Serves a request. An error becomes a response here already, because body faults also apply to errors. */
async function serveWithErrors(request: PageRequest, route: Route, options: ServeOptions): Promise<Response> {
  try {
    return await route.serve(request, options);
  } catch (error) {
    return respondWithError(error, request.c);
  }
}
