import { getStatusText } from "../http/errors.ts";
import type { FC, PropsWithChildren } from "./jsx-runtime.ts";
import { formatHead } from "./text-format.ts";

/** A response with its request. */
export interface ClientResponse {
  status: number;
  headers: Headers;
  /** The received part of the body, which a fault may have cut. */
  body: string;
  method: string;
  /** The header `Prefer` of the request. */
  prefer: string | undefined;
  /** The URL of the request, with the public origin of the service. */
  url: URL;
  /** The URL of the same page without faults. Undefined on other paths, or if neither PREFER nor the query sets options. */
  urlWithoutFaults: string | undefined;
  /** The date of the jump that led to the page, if there was one. */
  jumpDate: string | undefined;
}

/** Formats a status as in a response: `404 Not Found`. */
export function formatStatus(status: number): string {
  return status === 200 ? "200 OK" : `${status} ${getStatusText(status)}`;
}

/**
 * Shows the status, the headers and the body of a response.
 * @param children The formatted body; by default, the body is shown unchanged
 */
export const RawResponse: FC<PropsWithChildren<ClientResponse>> = ({ status, headers, body, children }) => (
  <section class="panel response" aria-label="Status, headers and body" tabindex={0}>
    <pre>
      {formatHead(formatStatus(status), headers)}
      {children ?? <code>{body}</code>}
    </pre>
  </section>
);

/**
 * Sets a query parameter of a URL, or removes it if the value is null.
 * @returns An absolute URL, because a relative URL that begins with two slashes would name a host (URL standard, "relative state")
 */
export function changeQuery(url: URL, name: string, value: string | null): string {
  const query = new URLSearchParams(url.search);
  if (value === null) query.delete(name);
  else query.set(name, value);
  return `${url.origin}${url.pathname}?${query}`;
}

/** @returns undefined if a fault has broken the JSON */
export function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
