import { expect } from "vitest";

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
}

/** Sends a request to the service, without following redirects. */
export type Send = (target: string, init: RequestInit) => Promise<Response> | Response;

/** Sends the requests one after the other, and compares each response with what is expected. */
export async function check(send: Send, ...exchanges: Exchange[]): Promise<void> {
  for (const exchange of exchanges) await checkOne(send, exchange);
}

async function checkOne(send: Send, exchange: Exchange): Promise<void> {
  const [method = "", target = ""] = exchange.send.includes(" ")
    ? exchange.send.split(" ")
    : ["GET", exchange.send];
  const response = await send(target, { method, headers: exchange.with ?? {} });
  const text = await response.text();
  expect({ send: exchange.send, status: response.status, text }).toMatchObject({
    status: exchange.status ?? 200,
  });
  for (const [name, expected] of Object.entries(exchange.headers ?? {}))
    if (expected instanceof RegExp) expect(response.headers.get(name), name).toMatch(expected);
    else expect(response.headers.get(name), name).toBe(expected);
  if (exchange.body instanceof RegExp) expect(text).toMatch(exchange.body);
  else if (typeof exchange.body === "string") expect(text).toBe(exchange.body);
  else if (exchange.body !== undefined) expect(JSON.parse(text)).toEqual(exchange.body);
}
