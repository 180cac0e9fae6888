/** Both ends included. */
export interface Range {
  min: number;
  max: number;
}

/** Clients give up after some seconds, and a response must not wait for longer. */
export const LONGEST_DELAY_MS = 10_000;

/** An hour. A longer outage is `code=503`. */
export const LONGEST_OUTAGE_S = 3_600;

export const LARGEST_CUT = 10_000_000;
export const LEAST_RATE = 100;
export const LONGEST_RETRY_AFTER_S = 86_400;
export const FASTEST_GROWTH = 1_000;

/** Pages of the collection, both ends included. */
export interface Target {
  pages: Range[];
  /** Also the last page. */
  last: boolean;
}

/** Out for the first `down` seconds of every `of` seconds, counted from 1970-01-01 UTC. */
export interface Outage {
  down: number;
  of: number;
}

/** Records per unit of time. */
export interface Growth {
  records: number;
  unit: "s" | "m" | "h";
}

// Each function returns undefined if the text, in lower case, is not a value of the option.

export function parseWhole(text: string, least: number, most: number): number | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  const number = Number(text);
  return number >= least && number <= most ? number : undefined;
}

function parseSpan(text: string, least: number, most: number): Range | undefined {
  const [from = "", to = from, ...more] = text.split("-");
  const min = parseWhole(from, least, most);
  const max = parseWhole(to, least, most);
  if (min === undefined || max === undefined || min > max || more.length > 0) return undefined;
  return { min, max };
}

export function parseDelay(text: string): Range | undefined {
  return parseSpan(text, 0, LONGEST_DELAY_MS);
}

export function parseShare(text: string): number | undefined {
  if (!/^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/.test(text)) return undefined;
  const share = Number(text);
  return share <= 1 ? share : undefined;
}

/** @param text `3,7-9`, `last`, or the same after `records?page=` */
export function parseTarget(text: string): Target | undefined {
  const elements = text.replace(/^records\/?\?page=/, "").split(",");
  const numbers = elements.filter((element) => element !== "last");
  const pages = numbers.map((element) => parseSpan(element, 1, Number.MAX_SAFE_INTEGER));
  if (!pages.every((range) => range !== undefined)) return undefined;
  return { pages, last: numbers.length < elements.length };
}

export function parseOutage(text: string): Outage | undefined {
  const [downText = "", ofText = "", ...more] = text.split("/");
  const down = parseWhole(downText, 1, LONGEST_OUTAGE_S);
  const of = parseWhole(ofText, 2, LONGEST_OUTAGE_S);
  if (down === undefined || of === undefined || down >= of || more.length > 0) return undefined;
  return { down, of };
}

/** @returns milliseconds since 1970-01-01 UTC */
export function parseTime(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(?:\.\d{1,3})?z$/.test(text)) return undefined;
  const time = Date.parse(text.toUpperCase());
  return Number.isNaN(time) ? undefined : time;
}

/** @param text an integer with its sign; in a query, a plus sign is a space */
export function parseOffset(text: string): number | undefined {
  const sign = text.match(/^[+ -]?(?=[1-9])/)?.[0];
  const number = sign === undefined ? undefined : parseWhole(text.slice(sign.length), 1, 1_000_000_000);
  return number === undefined ? undefined : number * (sign === "-" ? -1 : 1);
}

export function parseMediaType(text: string): string | undefined {
  return /^[a-z]+\/[a-z0-9.+-]+(?:; ?charset=[a-z0-9-]+)?$/.test(text) ? text : undefined;
}

export function parseRetryAfter(text: string): "none" | "date" | number | undefined {
  return text === "none" || text === "date" ? text : parseWhole(text, 0, LONGEST_RETRY_AFTER_S);
}

export function parseGrowth(text: string): Growth | undefined {
  const [, number = "", unit] = text.match(/^(\d+)\/([smh])$/) ?? [];
  const records = parseWhole(number, 1, FASTEST_GROWTH);
  return records === undefined ? undefined : { records, unit: unit as Growth["unit"] };
}

/** An option without a value. */
export function parseFlag(text: string): true | undefined {
  return text === "" ? true : undefined;
}
