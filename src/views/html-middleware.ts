import type { AppContext, AppMiddleware } from "../bindings.ts";
import { isChanged, noteApplied } from "../faults/applied-options.ts";
import { createClosedResponse } from "../faults/body-faults.ts";
import { HTML_HEADERS, NO_STORE } from "../http/headers.ts";
import { prefersHtml } from "../http/negotiation.ts";
import { renderResponse } from "./response-page.tsx";
import { describeRequest } from "./shown-request.ts";

/** Shows a page of the collection, or an error, as HTML if the client prefers HTML. All other responses stay as they are. */
export const renderHtml: AppMiddleware = async (c, next) => {
  await next();
  const { served, error } = c.var;
  const isPageOrError = served !== undefined || error !== undefined;
  if (!isPageOrError || !prefersHtml(c)) return;
  const response = await createHtmlResponse(c);
  // Without this, Hono would copy the headers of the JSON, such as its ETag, to the HTML.
  c.res = undefined;
  c.res = response;
};

async function createHtmlResponse(c: AppContext): Promise<Response> {
  const { status, headers } = c.res;
  const { applied } = c.var;
  const received = await receive(c.res);
  const isCut = applied?.options.body === "cut";
  // A slow body breaks off if its client leaves, or if the service closes all connections that wait.
  if (applied !== undefined && !received.isComplete && !isCut) {
    noteApplied(c, { ...applied, isClosed: true });
    return createClosedResponse();
  }
  const request = describeRequest(c);
  const isFault = applied !== undefined && isChanged(applied);
  const html = renderResponse({ ...request, ...c.var, status, headers, isFault, received: received.text });
  return new Response(html, { status, headers: createHtmlHeaders(headers, request.preferHeader) });
}

/** Receives a body as a client does. A body that breaks off ends with an error, perhaps inside of a character. */
async function receive({ body }: Response): Promise<{ text: string; isComplete: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const part of body ?? []) text += decoder.decode(part, { stream: true });
    return { text: text + decoder.decode(), isComplete: true };
  } catch {
    return { text: text + decoder.decode(), isComplete: false };
  }
}

function createHtmlHeaders(jsonHeaders: Headers, preferHeader: string | undefined): Headers {
  const headers = new Headers(jsonHeaders);
  // The page repeats the header `Prefer` in its command. Caches do not vary on it, so they must not store the page.
  if (preferHeader !== undefined) headers.set("Cache-Control", NO_STORE);
  // These describe the JSON.
  for (const name of ["ETag", "Content-Length", "Content-Encoding"]) headers.delete(name);
  for (const [name, value] of Object.entries(HTML_HEADERS)) headers.set(name, value);
  return headers;
}
