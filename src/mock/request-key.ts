import { lastValue } from "../http/request.ts";
import { COLLECTION_PATH, parsePageNumber } from "../records/page.ts";

/**
 * Identifies a request by its method, path and query, in any order of the parameters. The host is left out, so that a
 * test can be repeated on any port, and so is `prefer`, so that the header and the parameter have the same effect. HEAD
 * has the key of GET. A page of the collection has one key, however its request is written.
 */
export function requestKey(method: string, { pathname, searchParams }: URL): string {
  const query = new URLSearchParams(searchParams.toString());
  query.delete("prefer");
  if (pathname === COLLECTION_PATH) {
    const page = lastValue(query, "page");
    query.set("page", String(parsePageNumber(page) ?? page));
    query.delete("format");
  }
  query.sort();
  return `${method === "HEAD" ? "GET" : method} ${pathname}?${query}`;
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
