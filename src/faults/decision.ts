import type { RequestedPage } from "../env.ts";
import { lastValue } from "../http/request.ts";
import { COLLECTION_PATH, parsePageNumber } from "../records/page.ts";
import type { MockOptions } from "./options.ts";

/** The faults. `fail` limits all of them; a delay is not one of them. */
const FAULT_NAMES = ["code", "hang", "close", "body", "rows", "count", "next", "record"] as const;
export type Faults = Pick<MockOptions, (typeof FAULT_NAMES)[number]>;
export type BodyFault = NonNullable<Faults["body"]>;

/** Most clients that have a limit give up before this time. */
const HANG_MS = 60_000;

/** How long sending a body takes without a delay: less than the 5 seconds after which many test runners give up. */
const BODY_MS: Record<BodyFault, number> = { cut: 0, slow: 2_000, garbage: 0, empty: 0 };

/** What the mock does to the response to a request. */
export interface Decision {
  isDelayed?: boolean;
  /** How many milliseconds the response waits, and how many sending its body takes. */
  waitMs: number;
  bodyMs: number;
  /** The status of the error to respond with, 400 to 599; undefined keeps the real response. */
  status?: number | undefined;
  faults: Faults;
}

/** Keeps the response as it is. */
export const NO_CHANGE: Decision = { waitMs: 0, bodyMs: 0, faults: {} };

/** What decides about a request, apart from its options. */
interface Circumstances {
  /** Where the requested page is, if the request is for a page and has `on`. */
  page: RequestedPage | undefined;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
  /** Counts the request, and returns how many there were, this one included. */
  count(): number;
  random: RandomSource;
}

/** Decides about a request: `on`, `until` and `times` limit the delay and the faults, `fail` the faults only. */
export function decide(options: MockOptions, { page, now, count, random }: Circumstances): Decision {
  const { on, until, times, fail, delay } = options;
  const isOutside = (on && !isOnTarget(on, page)) || (until !== undefined && now >= until);
  if (isOutside || (times !== undefined && count() > times)) return NO_CHANGE;
  const isHit = fail === undefined || random("fail") < fail;
  const faults = isHit ? chooseFaults(options) : {};
  const delayMs = delay && delay.min + Math.floor(random("delay") * (delay.max - delay.min + 1));
  const status = faults.code ?? (faults.hang && 503);
  return { isDelayed: delay !== undefined, ...findWait(faults, delayMs), status, faults };
}

/** A slow body is sent over the time of a delay, instead of after it. */
function findWait({ hang, body }: Faults, delayMs: number | undefined): Pick<Decision, "waitMs" | "bodyMs"> {
  const usualMs = body === undefined ? 0 : BODY_MS[body];
  const [waitMs, bodyMs] = usualMs > 0 ? [0, delayMs ?? usualMs] : [delayMs ?? 0, 0];
  return { waitMs: hang ? HANG_MS : waitMs, bodyMs };
}

/** The faults that a request asks for, or 503 if it only limits them. A delay needs no fault, but `fail` does. */
function chooseFaults(options: MockOptions): Faults {
  const asked = FAULT_NAMES.filter((name) => options[name] !== undefined);
  if (asked.length > 0) return Object.fromEntries(asked.map((name) => [name, options[name]]));
  const { on, until, times, fail, delay } = options;
  const isLimited = delay === undefined && (on ?? until ?? times) !== undefined;
  return isLimited || fail !== undefined ? { code: 503 } : {};
}

/** Whether the requested page is one of those that `on` names. */
function isOnTarget(targets: NonNullable<MockOptions["on"]>, page: RequestedPage | undefined): boolean {
  if (page === undefined || page.number > page.pages) return false;
  const { number, pages } = page;
  return targets.some((one) => (one === "last" ? number === pages : number >= one.min && number <= one.max));
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
export type RandomSource = (purpose: "delay" | "fail" | "rows" | "record") => number;

/**
 * Creates the random numbers of a request.
 * @param seed makes each number depend only on the seed, the purpose and the request; undefined is truly random
 * @param key identifies the request
 */
export function createRandom(seed: number | undefined, key: string): RandomSource {
  if (seed === undefined) return Math.random;
  return (purpose) => hashText(`${seed} ${purpose} ${key}`) / 2 ** 53;
}

/** Keys that are counted. The key that was used longest ago is forgotten first. */
const MOST_KEYS = 10_000;

/** Creates a counter of requests by their keys. */
export function createCounter() {
  // A key can be as long as a URL, so its hash stands for it.
  const counts = new Map<number, number>();
  return {
    /** Counts a request, and returns how many there were with its key, this one included. */
    count(key: string): number {
      const hash = hashText(key);
      const count = (counts.get(hash) ?? 0) + 1;
      counts.delete(hash);
      counts.set(hash, count);
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

/**
 * A hash of 53 bits: two lanes with the multipliers and the final mixing of MurmurHash3 (Austin Appleby, in the public domain). It does
 * not withstand people who look for texts with the same hash.
 */
export function hashText(text: string): number {
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

/**
 * The 32-bit finaliser of MurmurHash3.
 * @returns a number from 0 to 2^32 - 1, each bit of which depends on all bits of the lane
 */
export function mixBits(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
