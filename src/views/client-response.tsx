import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { quoteForShell } from "../escape.ts";
import type { AppliedOptions } from "../faults/applied-options.ts";
import type { HttpError } from "../http/errors.ts";
import { setParameter } from "../http/links.ts";
import { isDefaultFormat } from "../http/negotiation.ts";
import { getLastValue } from "../http/request.ts";
import { getStatusText } from "../http/statuses.ts";
import type { Page } from "../records/schema.ts";
import { CurlBlock, ResponsePanel } from "./code-block.tsx";
import type { ShownRequest } from "./shown-request.ts";
import { formatHead } from "./text-format.ts";

/** A request and its response as the HTML view shows them. */
export interface ClientResponse extends ShownRequest {
  status: number;
  headers: Headers;
  /** The page without faults, and how many newer records `grow` hides. */
  served: { page: Page; hidden: number } | undefined;
  /** The error that was sent in place of the page. */
  error: HttpError | undefined;
  /** What the options of the request did. */
  applied: AppliedOptions | undefined;
  /** Whether they changed the response, and not only its time. */
  isFault: boolean;
  /** What a client receives of a body that a fault breaks. */
  received: string | undefined;
}

/** Formats a status as in a response: `404 Not Found`. */
export function formatStatus(status: number): string {
  return `${status} ${getStatusText(status)}`;
}

/** The title of a page, and its request as a command and, if a link can send it, as a link to the JSON. */
export const TitleRow: FC<{ title: string; response: ClientResponse }> = ({ title, response }) => {
  const { method, preferHeader, url } = response;
  const verbs: Record<string, string> = { GET: "-si", HEAD: "-sI" };
  const verb = verbs[method] ?? `-si -X ${method}`;
  const options =
    preferHeader === undefined ? verb : `${verb} -H ${quoteForShell(`Prefer: ${preferHeader}`)}`;
  const hasDefaultFormat = isDefaultFormat(getLastValue(url.searchParams, "format"));
  const canLink = method === "GET" && preferHeader === undefined && hasDefaultFormat;
  return (
    <div class="row title">
      <h1>{title}</h1>
      {canLink && (
        <a class="button" href={setParameter(url, "format", "json")}>
          JSON
        </a>
      )}
      <CurlBlock options={options} url={url.href} />
    </div>
  );
};

/** @param body Blocks of HTML */
export const ApiResponse: FC<{ response: ClientResponse; body: string }> = ({ response, body }) => (
  <section class="client" aria-labelledby="response">
    <h2 id="response">The API response</h2>
    <ResponsePanel
      head={formatHead(formatStatus(response.status), response.headers)}
      isOpen={response.status >= 400}
    >
      {raw(body)}
    </ResponsePanel>
  </section>
);
