import { expect } from "vitest";
import type { TrafficRecord } from "../../src/records/schema.ts";

export const PATH = "/api/tf1/records/";

/** The Accept header of a browser that opens a page. */
export const CHROMIUM =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8";

/** The Accept header of w3m, a text browser. */
export const TEXT_BROWSER = "text/html, text/*;q=0.5, image/*, application/*";

/** A request, and its expected response. */
export interface Exchange {
  /** What the row protects, if the request does not say it. */
  name?: string;
  /** The method and the path with its query, such as `HEAD /docs`. The default method is GET. */
  request: string;
  requestHeaders?: Record<string, string>;
  /** The status of the response, by default 200. */
  status?: number;
  /** Some headers of the response. Null if a header must be missing, as from `Headers.get`. */
  headers?: Record<string, string | RegExp | null>;
  /** The body of the response as a string, a pattern, or the value of the JSON. */
  body?: unknown;
  /** The number of the page of the collection that the body must be. */
  page?: number | undefined;
  /** The query of the page's `next` and `previous`, with PAGE in place of their numbers. By default `format=api&page=PAGE`. */
  links?: string;
}

/** Sends a request and follows no redirect. */
export type Send = (target: string, init: RequestInit) => Promise<Response>;

/** The response of the collection if the service fails. It does not reveal the cause. */
export const UNAVAILABLE: Omit<Exchange, "request"> = {
  status: 503,
  headers: {
    allow: "GET, OPTIONS",
    vary: "Accept",
    "retry-after": "5",
    "cache-control": "no-store",
    "content-type": "application/json",
    "access-control-allow-origin": "*",
    etag: null,
  },
  body: { detail: "Service temporarily unavailable, try again later." },
};

/** A service and its collection. */
export interface Target {
  origin: string;
  /** Throws if the response contradicts the OpenAPI document. */
  fetch: Send;
  /** Whether the platform serves static files. */
  hasFiles: boolean;
  /** Newest first. */
  records: TrafficRecord[];
}

/** Sends requests in sequence, and compares each response with the expected one. */
export async function checkExchanges(send: Send, ...exchanges: Exchange[]): Promise<void> {
  for (const exchange of exchanges) await checkExchange(send, exchange);
}

/** The policy of every HTML response: it can load only the files of the site (SECURITY.md). */
const CONTENT_SECURITY_POLICY = /^default-src 'none'; script-src 'self'; style-src 'self';(?!.*unsafe)/;

/** The content of an element `time`. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Sends a request, and compares the response with the expected one. Returns the response and its body. */
export async function checkExchange(send: Send, exchange: Exchange): Promise<[Response, text: string]> {
  const { name, request, requestHeaders = {}, status = 200, headers = {}, body } = exchange;
  const [target = "", method = "GET"] = request.split(" ").reverse();
  const response = await send(target, { method, headers: requestHeaders });
  const text = await response.text();
  expect({ name, request, status: response.status, text }).toMatchObject({ status });
  for (const [header, expected] of Object.entries(headers)) {
    const value = response.headers.get(header);
    if (expected instanceof RegExp) expect(value, header).toMatch(expected);
    else expect(value, header).toBe(expected);
  }
  if (response.headers.get("content-type")?.startsWith("text/html")) checkWebPage(response, text);
  if (body instanceof RegExp) expect(text).toMatch(body);
  else if (typeof body === "string") expect(text).toBe(body);
  else if (body !== undefined) expect(JSON.parse(text)).toEqual(body);
  return [response, text];
}

function checkWebPage({ headers }: Response, html: string): void {
  expect(headers.get("content-security-policy")).toMatch(CONTENT_SECURITY_POLICY);
  for (const [, time] of html.matchAll(/<time>(.*?)<\/time>/g)) expect(time).toMatch(TIME);
}
