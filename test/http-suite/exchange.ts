import { expect } from "vitest";
import type { TrafficRecord } from "../../src/records/record.ts";

export const PATH = "/api/tf1/records/";

/** The Accept header of a browser that opens a page. */
export const CHROMIUM =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8";

/** The Accept header of w3m, a browser of text. */
export const TEXT_BROWSER = "text/html, text/*;q=0.5, image/*, application/*";

/** A request, and what its response must have. */
export interface Exchange {
  /** The method and the target, such as `HEAD /docs`; the method is GET if only the target is given. */
  send: string;
  /** The headers of the request. */
  with?: Record<string, string>;
  /** The status; 200 by default. */
  status?: number;
  /** Some headers of the response; null if one must be missing. */
  headers?: Record<string, string | RegExp | null>;
  /** The body: its text, what its text must contain, or what its JSON must be. */
  body?: unknown;
  /** The page that the body must be. */
  page?: ExpectedPage;
}

export interface ExpectedPage {
  number: number | "last";
  /** The query of links, in which PAGE stands for the page. */
  link: string;
}

/** Sends a request, and follows no redirect. */
export type Send = (target: string, init: RequestInit) => Promise<Response>;

/** The response to a request for the collection if the service fails. It says nothing about the cause. */
export const UNAVAILABLE: Omit<Exchange, "send"> = {
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

/** A service, and what is known about its collection. */
export interface Target {
  origin: string;
  /** Throws if the response is not as the OpenAPI document says. */
  fetch: Send;
  /** Whether static files are served too, as by the platform. */
  hasFiles: boolean;
  /** Records when the tests begin. A deployment may grow meanwhile. */
  count: number;
  /** The preferences of the deployment, if it has some. */
  prefer?: string | undefined;
  /** False if the deployment ends all faults. */
  hasFaults?: boolean;
  /** Newest first; undefined if nobody knows them. */
  records?: TrafficRecord[];
}

/** Sends requests one after the other, and compares each response with what is expected. */
export async function checkExchanges(send: Send, ...exchanges: Exchange[]): Promise<void> {
  for (const exchange of exchanges) await checkExchange(send, exchange);
}

/** What every web page may load, whatever it is a response to: nothing but the files of the site (SECURITY.md). */
const CONTENT_SECURITY_POLICY = /^default-src 'none'; script-src 'self'; style-src 'self';(?!.*unsafe)/;

/** The content of an element `time`: a global date and time (HTML, 2.3.5.7). */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** @returns the response and its body */
export async function checkExchange(send: Send, exchange: Exchange): Promise<[Response, text: string]> {
  const { send: sent, with: requestHeaders = {}, status = 200, headers = {}, body } = exchange;
  const [target = "", method = "GET"] = sent.split(" ").reverse();
  const response = await send(target, { method, headers: requestHeaders });
  const text = await response.text();
  expect({ send: sent, status: response.status, text }).toMatchObject({ status });
  for (const [name, expected] of Object.entries(headers))
    if (expected instanceof RegExp) expect(response.headers.get(name), name).toMatch(expected);
    else expect(response.headers.get(name), name).toBe(expected);
  if (response.headers.get("content-type")?.startsWith("text/html")) {
    expect(response.headers.get("content-security-policy"), "the policy of a web page").toMatch(
      CONTENT_SECURITY_POLICY,
    );
    for (const [, time] of text.matchAll(/<time>(.*?)<\/time>/g)) expect(time).toMatch(TIME);
  }
  if (body instanceof RegExp) expect(text).toMatch(body);
  else if (typeof body === "string") expect(text).toBe(body);
  else if (body !== undefined) expect(JSON.parse(text)).toEqual(body);
  return [response, text];
}
