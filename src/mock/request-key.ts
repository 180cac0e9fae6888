import { lastValue } from "../http/request.ts";
import { COLLECTION_PATH, parsePageNumber } from "../records/page.ts";

/**
 * Identifies what a request is for: its method and path, and the page of the collection, however the request is written. The host
 * is left out, so that a test can be repeated on any port. HEAD has the key of GET.
 */
export function pageKey(method: string, { pathname, searchParams }: URL): string {
  const path = `${method === "HEAD" ? "GET" : method} ${pathname}`;
  if (pathname !== COLLECTION_PATH) return path;
  const page = lastValue(searchParams, "page");
  return `${path}?page=${parsePageNumber(page) ?? page}`;
}

/** Parameters that are in the key already, or that do not make it another request: the header and the parameter have the same effect. */
const LEFT_OUT = ["page", "format", "prefer"];

/** Identifies a request by its page and its other parameters, in any order. */
export function requestKey(method: string, url: URL): string {
  const others = new URLSearchParams(url.searchParams.toString());
  for (const name of LEFT_OUT) others.delete(name);
  others.sort();
  return `${pageKey(method, url)} ${others}`;
}

/** Random numbers for one request, one for each purpose: evenly distributed, from 0 up to but not including 1. */
export type RandomSource = (purpose: "delay" | "fail" | "rows" | "record") => Promise<number>;

/**
 * Creates the random numbers of a request.
 * @param seed makes each number depend only on the seed, the purpose and the request; undefined is truly random
 * @param key identifies the request
 */
export function createRandom(seed: number | undefined, key: string): RandomSource {
  if (seed === undefined) return async () => Math.random();
  return async (purpose) => (await digest(`${seed} ${purpose} ${key}`)).getUint32(0) / 2 ** 32;
}

/** Keys that are counted. The key that was used longest ago is forgotten first. */
const MOST_KEYS = 10_000;

/** Counts requests by their keys. */
export type Counter = ReturnType<typeof createCounter>;

export function createCounter() {
  // A key can be as long as a URL, so a part of its digest stands for it.
  const counts = new Map<bigint, number>();
  return {
    /** Counts a request, and returns how many there were with its key, this one included. */
    async count(key: string): Promise<number> {
      const short = (await digest(key)).getBigUint64(0);
      const count = (counts.get(short) ?? 0) + 1;
      counts.delete(short);
      counts.set(short, count);
      const [oldest] = counts.keys();
      if (counts.size > MOST_KEYS && oldest !== undefined) counts.delete(oldest);
      return count;
    },
    /** Forgets all requests. */
    reset(): void {
      counts.clear();
    },
  };
}

async function digest(text: string): Promise<DataView> {
  return new DataView(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
