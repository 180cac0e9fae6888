import type { Span } from "./preferences.ts";

/** Numbers drawn for a request, each by its purpose: evenly spread, from 0 up to but without 1. */
export type Draw = (purpose: "delay" | "fail") => Promise<number>;

/**
 * Draws for a request.
 * @param seed makes every number a pure function of the seed, the purpose and the request; undefined draws at random
 * @param request what tells it from others, see `identify`
 */
export function drawFor(seed: number | undefined, request: string): Draw {
  if (seed === undefined) return async () => Math.random();
  return async (purpose) => {
    const bytes = new TextEncoder().encode(`${seed} ${purpose} ${request}`);
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    return new DataView(digest).getUint32(0) / 2 ** 32;
  };
}

/**
 * What tells a request from others: method, path, and query whatever its order. Not `prefer`, so that the header and the
 * parameter draw the same; nor the host, so that a test replays on any port. HEAD is answered as GET is.
 */
export function identify(method: string, { pathname, searchParams }: URL): string {
  const query = new URLSearchParams(searchParams.toString());
  query.delete("prefer");
  query.sort();
  return `${method === "HEAD" ? "GET" : method} ${pathname}?${query}`;
}

/**
 * @param drawn from 0 up to but without 1
 * @returns a whole number in the span
 */
export function pickFrom({ min, max }: Span, drawn: number): number {
  return min + Math.floor(drawn * (max - min + 1));
}
