import { expect } from "vitest";
import type { Env } from "../../src/env.ts";
import app from "../../src/index.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { checkResponse } from "../openapi-check.ts";
import { context } from "../worker.ts";

export const PATH = "/api/tf1/records/";

/** The origin of all requests. */
export const ORIGIN = "https://counts.example";

/** Requests a page from one instance of the worker, in this process. Throws if the response is not as documented. */
export async function ask(
  env: Env,
  page: number | "last" = 1,
  headers: Record<string, string> = {},
): Promise<Response> {
  const request = new Request(`${ORIGIN}${PATH}?format=api&page=${page}`, { headers });
  const response = await app.request(request, {}, env, context);
  await checkResponse(request, response);
  return response;
}

/** The text of a page as the specification defines it. */
export function writePage(origin: string, newestFirst: TrafficRecord[], page: number): string {
  const count = newestFirst.length;
  const link = (number: number) => `${origin}${PATH}?format=api&page=${number}`;
  const next = page * 15 < count ? link(page + 1) : null;
  const previous = page > 1 ? link(page - 1) : null;
  return JSON.stringify({ count, next, previous, results: newestFirst.slice(15 * (page - 1), 15 * page) });
}

export async function expectPage(response: Response, newestFirst: TrafficRecord[], page = 1): Promise<void> {
  expect(response.status).toBe(200);
  expect(await response.text()).toBe(writePage(ORIGIN, newestFirst, page));
}

/** Requests every page from an instance that has nothing in memory. */
export async function expectCollection(env: Env, newestFirst: TrafficRecord[]): Promise<void> {
  const instance = { ...env };
  const pages = Math.ceil(newestFirst.length / 15);
  const answers = await Promise.all(Array.from({ length: pages }, (_, index) => ask(instance, index + 1)));
  for (const [index, answer] of answers.entries()) await expectPage(answer, newestFirst, index + 1);
  expect((await ask(instance, pages + 1)).status).toBe(404);
}

export async function expectUnavailable(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(await response.text()).toBe('{"detail":"Service temporarily unavailable, try again later."}');
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "retry-after": "5",
    "cache-control": "no-store",
    allow: "GET, OPTIONS",
    vary: "Accept",
    "content-type": "application/json",
    "access-control-allow-origin": "*",
  });
  expect(response.headers.has("etag")).toBe(false);
}
