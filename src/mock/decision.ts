import { lastValue } from "../http/request.ts";
import { COLLECTION_PATH, parsePageNumber } from "../records/page.ts";
import { OPTION_DOCS, type OptionName } from "./option-docs.ts";
import type { Range } from "./option-values.ts";
import type { MockOptions } from "./options.ts";

/** The options that change a response. Without any of them, `fail` and `outage` respond with an error. */
const FAULTS = ["code", "body", "cut", "rate", "hang", "rows", "count", "next", "record", "type"] as const;
type FaultName = (typeof FAULTS)[number];
export type Faults = Pick<MockOptions, FaultName>;

/** What the mock does to the response to a request. */
export interface Decision {
  delayMs: number;
  /** The status of the error to respond with, 400 to 599; undefined keeps the real response. */
  status: number | undefined;
  faults: Partial<Faults>;
  /** The options that took effect. */
  applied: OptionName[];
}

/** The status of a request that fails because of `fail` or `outage` alone. */
const FAILURE = 503;

/** What decides about a request, apart from its options. */
interface Circumstances {
  random: RandomSource;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
  /** Whether the page is one of `on`. */
  isTarget: boolean;
}

/**
 * Decides about a request: `on` and `until` limit all faults, `fail` and `outage` all except `delay`.
 */
export async function decide(
  options: MockOptions,
  { random, now, isTarget }: Circumstances,
): Promise<Decision> {
  const { delay, fail, outage, until } = options;
  const isAimed = isTarget && (until === undefined || now < until);
  const delayMs = isAimed && delay ? pickFrom(delay, await random("delay")) : 0;
  const isLimited = fail !== undefined || outage !== undefined;
  const hit = isAimed && (!isLimited || isOut(outage, now) || (await random("fail")) < (fail ?? 0));
  const asked = FAULTS.filter((name) => options[name] !== undefined);
  const faults: Partial<Faults> = hit ? Object.fromEntries(asked.map((name) => [name, options[name]])) : {};
  const status = faults.code ?? (hit && isLimited && asked.length === 0 ? FAILURE : undefined);
  const isApplied: Partial<Record<OptionName, boolean>> = {
    ...Object.fromEntries(FAULTS.map((name) => [name, faults[name] !== undefined])),
    delay: isAimed,
    seed: isRandom({ ...faults, delay, fail }),
    "retry-after": status === 429 || status === FAILURE,
    strict: false,
  };
  const applied = OPTION_DOCS.map(({ name }) => name).filter(
    (name) => options[name] !== undefined && (isApplied[name] ?? true),
  );
  return { delayMs, status, faults, applied };
}

function isOut(outage: MockOptions["outage"], now: number): boolean {
  return outage !== undefined && Math.floor(now / 1_000) % outage.of < outage.down;
}

/** Whether any choice depends on the seed. */
function isRandom({ delay, fail, rows, record }: Partial<MockOptions>): boolean {
  const hasRange = delay !== undefined && delay.min < delay.max;
  return hasRange || fail !== undefined || rows !== undefined || record !== undefined;
}

/** Lists options as in `Preference-Applied` (RFC 7240, 3). */
export function listApplied(names: OptionName[], options: MockOptions): string {
  return names.map((name) => writeOption(name, options)).join(", ");
}

function writeOption(name: OptionName, options: MockOptions): string {
  const { delay, on, outage, until, count = 0, grow } = options;
  const texts: Partial<Record<OptionName, string | undefined>> = {
    delay: delay && writeRange(delay),
    on: on && `"${[...on.pages.map(writeRange), ...(on.last ? ["last"] : [])].join(",")}"`,
    outage: outage && `${outage.down}/${outage.of}`,
    until: until === undefined ? undefined : new Date(until).toISOString(),
    count: `${count > 0 ? "+" : ""}${count}`,
    type: options.type && `"${options.type}"`,
    grow: grow && `${grow.records}/${grow.unit}`,
  };
  return options[name] === true ? name : `${name}=${texts[name] ?? options[name]}`;
}

function writeRange({ min, max }: Range): string {
  return min === max ? String(min) : `${min}-${max}`;
}

/** Random numbers for one request, one for each purpose: evenly distributed, from 0 up to but not including 1. */
export type RandomSource = (purpose: "delay" | "fail" | "rows" | "record") => Promise<number>;

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

/**
 * @param number from 0 up to but not including 1
 * @returns an integer within the range
 */
export function pickFrom({ min, max }: Range, number: number): number {
  return min + Math.floor(number * (max - min + 1));
}
