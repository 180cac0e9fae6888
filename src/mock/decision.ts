import type { RequestedPage } from "../env.ts";
import { lastValue } from "../http/request.ts";
import { COLLECTION_PATH, parsePageNumber } from "../records/page.ts";
import { LAST_PAGE, type MockOptions, type NumberRange } from "./options.ts";

/** The faults. `fail` limits all of them; a delay is not one of them. */
const FAULTS = ["code", "hang", "close", "body", "rows", "count", "next", "record"] as const;
export type Faults = Pick<MockOptions, (typeof FAULTS)[number]>;

/** What the mock does to the response to a request. */
export interface Decision {
  /** Undefined if the response is not delayed. */
  delayMs?: number | undefined;
  /** The status of the error to respond with, 400 to 599; undefined keeps the real response. */
  status?: number | undefined;
  faults: Faults;
}

/** What decides about a request, apart from its options. */
interface Circumstances {
  /** Where the requested page is, if the request is for a page and has `on`. */
  page: RequestedPage | undefined;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
  /** Counts the request, and returns how many there were, this one included. */
  count(): Promise<number>;
  random: RandomSource;
}

/** Decides about a request: `on`, `until` and `times` limit the delay and the faults, `fail` the faults only. */
export async function decide(
  options: MockOptions,
  { page, now, count, random }: Circumstances,
): Promise<Decision> {
  const { on, until, times, fail, delay } = options;
  const isOutside = (on && !isOnTarget(on, page)) || (until !== undefined && now >= until);
  if (isOutside || (times !== undefined && (await count()) > times)) return { faults: {} };
  const isHit = fail === undefined || (await random("fail")) < fail;
  const faults = isHit ? chooseFaults(options) : {};
  return {
    delayMs: delay && pickFrom(delay, await random("delay")),
    status: faults.close ? undefined : (faults.code ?? (faults.hang && 503)),
    faults,
  };
}

/** @param random from 0 up to but not including 1 */
function pickFrom({ min, max }: NumberRange, random: number): number {
  return min + Math.floor(random * (max - min + 1));
}

/** The faults that a request asks for, or 503 if it only limits them. A delay needs no fault, but `fail` does. */
function chooseFaults(options: MockOptions): Faults {
  const asked = FAULTS.filter((name) => options[name] !== undefined);
  if (asked.length > 0) return Object.fromEntries(asked.map((name) => [name, options[name]]));
  const { on, until, times, fail, delay } = options;
  const isLimited = delay === undefined && (on ?? until ?? times) !== undefined;
  return isLimited || fail !== undefined ? { code: 503 } : {};
}

/** Whether the requested page is one of those that `on` names. */
function isOnTarget(pages: NumberRange[], page: RequestedPage | undefined): boolean {
  if (page === undefined || page.number > page.pages) return false;
  if (page.number === page.pages && pages.includes(LAST_PAGE)) return true;
  return pages.some(({ min, max }) => page.number >= min && page.number <= max);
}

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

/** Creates a counter of requests by their keys. */
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
