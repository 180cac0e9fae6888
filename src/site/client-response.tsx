import { nameStatus } from "../http/errors.ts";
import type { FC, PropsWithChildren } from "./jsx-runtime.ts";
import { formatHead } from "./text-format.ts";

/** A response to a client, and its request. */
export interface ClientResponse {
  status: number;
  headers: Headers;
  /** As far as it was received: a fault may break it. */
  body: string;
  method: string;
  /** The header `Prefer` of the request, which changes the response. */
  prefer: string | undefined;
  /** The URL of the request, with the origin under which clients reach the service. */
  url: URL;
  /** The URL of the same page without preferences, if there is one. */
  urlWithoutFaults: string | undefined;
  /** The date of the jump to the page. */
  jumpDate: string | undefined;
}

/** The name of a status as in a response: `404 Not Found`. */
export function formatStatus(status: number): string {
  return status === 200 ? "200 OK" : `${status} ${nameStatus(status)}`;
}

/**
 * Shows the status, the headers and the body that a client gets.
 * @param children the body in another form, if it is not shown as it is
 */
export const Message: FC<PropsWithChildren<ClientResponse>> = ({ status, headers, body, children }) => (
  <section class="panel response" aria-label="Status, headers and body" tabindex={0}>
    <pre>
      {formatHead(formatStatus(status), headers)}
      {children ?? <code>{body}</code>}
    </pre>
  </section>
);

/**
 * The address of a request with another parameter, or without it if the value is null. It is absolute, because a path that begins
 * with two slashes alone would lead to another host (URL standard, "relative state").
 */
export function changeQuery(url: URL, name: string, value: string | null): string {
  const query = new URLSearchParams(url.search);
  if (value === null) query.delete(name);
  else query.set(name, value);
  return `${url.origin}${url.pathname}?${query}`;
}

/** @returns undefined if the text is not JSON, because a fault has broken it */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
