import type { AppMiddleware } from "../bindings.ts";
import { isChanged, noteApplied } from "../faults/applied-options.ts";
import { createClosedResponse } from "../faults/body-faults.ts";
import { HTML_HEADERS, NO_STORE } from "../http/headers.ts";
import { prefersHtml } from "../http/negotiation.ts";
import { renderResponse } from "./response-page.tsx";
import { describeRequest } from "./shown-request.ts";

/** Headers that describe the JSON, and not the HTML. */
const JSON_ONLY_HEADERS = ["ETag", "Content-Length", "Content-Encoding"];

/** Shows a page of the collection, or an error, as HTML if the client prefers HTML. All other responses stay as they are. */
export const renderHtml: AppMiddleware = async (c, next) => {
  await next();
  const { served, error, applied } = c.var;
  const hasView = served !== undefined || error !== undefined;
  if (!hasView || !prefersHtml(c)) return;

  const { status, headers } = c.res;
  const isBodyBroken = applied?.options.body !== undefined;
  const received = isBodyBroken ? await readReceived(c.res) : undefined;
  // Its client has left, or the service has closed all connections that wait.
  const isInterrupted = received?.isCut && applied?.options.body === "slow";
  if (isInterrupted) {
    noteApplied(c, { ...applied, isClosed: true });
    c.res = undefined;
    c.res = createClosedResponse();
    return;
  }
  const request = describeRequest(c);
  const isFault = applied !== undefined && isChanged(applied);
  const html = renderResponse({
    ...request,
    status,
    headers,
    served,
    error,
    applied,
    isFault,
    received: received?.text,
  });

  // Hono copies the headers of a response to the one that replaces it, so the first one is removed.
  c.res = undefined;
  c.res = new Response(html, { status, headers: createHtmlHeaders(headers, request.preferHeader) });
};

/** Reads a body as a client does: to its end, or until a fault closes its connection, perhaps inside of a character. */
async function readReceived({ body }: Response): Promise<{ text: string; isCut: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let isCut = false;
  try {
    for await (const part of body ?? []) text += decoder.decode(part, { stream: true });
  } catch {
    // What has arrived until then is shown.
    isCut = true;
  }
  return { text: text + decoder.decode(), isCut };
}

function createHtmlHeaders(jsonHeaders: Headers, preferHeader: string | undefined): Headers {
  const headers = new Headers(jsonHeaders);
  // The curl command on the page repeats this header, on which caches do not vary.
  if (preferHeader !== undefined) headers.set("Cache-Control", NO_STORE);
  for (const name of JSON_ONLY_HEADERS) headers.delete(name);
  for (const [name, value] of Object.entries(HTML_HEADERS)) headers.set(name, value);
  return headers;
}
