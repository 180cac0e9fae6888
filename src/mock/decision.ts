import type { BodyFault, MockOptions, Range } from "./options.ts";

/** What the mock does to the response to a request. */
export interface Decision {
  delayMs: number;
  /** The status of the error to respond with, 400 to 599; undefined keeps the real response. */
  status: number | undefined;
  body: BodyFault | undefined;
  /** The options that took effect, as `Preference-Applied` lists them (RFC 7240, 3). */
  applied: string[];
}

/** The status of a request that fails because of `fail` alone. */
const FAILURE = 503;

/** Decides about a request: `fail` limits `code` and `body` to a share of the requests, `delay` applies to all. */
export async function decide(options: MockOptions, random: RandomSource): Promise<Decision> {
  const { delay, fail, seed } = options;
  const delayMs = delay ? pickFrom(delay, await random("delay")) : 0;
  const hit = fail === undefined || (await random("fail")) < fail;
  const body = hit ? options.body : undefined;
  const code = hit ? options.code : undefined;
  const isRandom = fail !== undefined || (delay !== undefined && delay.min < delay.max);
  return {
    delayMs,
    body,
    status: code ?? (hit && fail !== undefined && !body ? FAILURE : undefined),
    applied: listApplied({ ...options, body, code, seed: isRandom ? seed : undefined }),
  };
}

function listApplied({ code, delay, fail, seed, body }: MockOptions): string[] {
  const range = delay && (delay.min === delay.max ? delay.min : `${delay.min}-${delay.max}`);
  return Object.entries({ code, delay: range, fail, seed, body })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`);
}

/** Random numbers for one request, one for each purpose: evenly distributed, from 0 up to but not including 1. */
export type RandomSource = (purpose: "delay" | "fail") => Promise<number>;

/**
 * Creates the random numbers of a request.
 * @param seed makes each number depend only on the seed, the purpose and the request; undefined is truly random
 * @param key identifies the request, see `requestKey`
 */
export function createRandom(seed: number | undefined, key: string): RandomSource {
  if (seed === undefined) return async () => Math.random();
  return async (purpose) => {
    const bytes = new TextEncoder().encode(`${seed} ${purpose} ${key}`);
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    return new DataView(digest).getUint32(0) / 2 ** 32;
  };
}

/**
 * Identifies a request by its method, path and query, in any order of the parameters. The host is left out, so that a
 * test can be repeated on any port, and so is `prefer`, so that the header and the parameter have the same effect. HEAD
 * has the key of GET.
 */
export function requestKey(method: string, { pathname, searchParams }: URL): string {
  const query = new URLSearchParams(searchParams.toString());
  query.delete("prefer");
  query.sort();
  return `${method === "HEAD" ? "GET" : method} ${pathname}?${query}`;
}

/**
 * @param number from 0 up to but not including 1
 * @returns an integer within the range
 */
export function pickFrom({ min, max }: Range, number: number): number {
  return min + Math.floor(number * (max - min + 1));
}
