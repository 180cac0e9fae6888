import { getLastValue } from "../http/request.ts";
import { COLLECTION_PATH, JUMP_DATE_PARAMETER, parsePageNumber } from "../records/page.ts";

/** Identifies what a request is for: its method and the page, however the request is written. HEAD has the key of GET. */
export function getPageKey(method: string, query: URLSearchParams): string {
  const page = getLastValue(query, "page");
  return `${method === "HEAD" ? "GET" : method} ${COLLECTION_PATH}?page=${parsePageNumber(page) ?? page}`;
}

/** Parameters that are in the key already, or that do not make it a different request. */
const IGNORED_PARAMETERS = ["page", "format", "prefer", JUMP_DATE_PARAMETER];

/** Identifies a request by its page and its other parameters, in any order. */
export function getRequestKey(method: string, query: URLSearchParams): string {
  const others = new URLSearchParams(query.toString());
  for (const name of IGNORED_PARAMETERS) others.delete(name);
  others.sort();
  return `${getPageKey(method, query)} ${others}`;
}

/** Random numbers for one request, one for each purpose: evenly distributed, from 0 up to but not including 1. */
export type RandomSource = (purpose: string) => number;

/** With a random seed, each number depends only on the seed, the purpose and the key of the request. */
export function createRandom(seed: number | undefined, key: string): RandomSource {
  if (seed === undefined) return Math.random;
  return (purpose) => hashString(`${seed} ${purpose} ${key}`) / 2 ** 53;
}

/** Keys that are counted. The key that was used longest ago is forgotten first. */
const MAX_COUNTED_REQUESTS = 10_000;

/** Creates a counter of requests by their keys. */
export function createCounter() {
  // A key can be as long as a URL, so its hash stands for it.
  const counts = new Map<number, number>();
  return {
    /** Counts a request, and returns how many there were with its key, this one included. */
    count(key: string): number {
      const hash = hashString(key);
      const count = (counts.get(hash) ?? 0) + 1;
      counts.delete(hash);
      counts.set(hash, count);
      const [oldest] = counts.keys();
      if (counts.size > MAX_COUNTED_REQUESTS && oldest !== undefined) counts.delete(oldest);
      return count;
    },
    reset: () => counts.clear(),
  };
}

/**
 * A hash of 53 bits: two lanes with the multipliers and the final mixing of MurmurHash3 (Austin Appleby, in the public domain). It is not
 * safe against deliberate collisions.
 */
export function hashString(text: string): number {
  let [high, low] = [text.length, ~text.length];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0xcc9e2d51);
    high = (high << 15) | (high >>> 17);
    low = Math.imul(low ^ unit, 0x1b873593);
    low = (low << 13) | (low >>> 19);
  }
  return (mixBits(high) >>> 11) * 2 ** 32 + mixBits(low);
}

/** The 32-bit finalizer of MurmurHash3: each bit of the number from 0 to 2^32 - 1 depends on all bits of the lane. */
export function mixBits(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
