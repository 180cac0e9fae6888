import { formatValue } from "../../data/formatting.ts";
import { lastPage } from "../../src/records/page.ts";
import type { Reply } from "./retrying-client.ts";

export type Fields = Record<string, unknown>;

/** The response to GET of a page. */
export interface PageResponse extends Reply {
  /** The page number that was requested. */
  number: number;
  /** What its links should begin with. */
  linkBase: string;
  /** The body, if it is a JSON object. */
  envelope: Fields | undefined;
  /** The count of the envelope, if it is valid. */
  count: number | undefined;
  /** The results of the envelope; empty if they are not an array. */
  results: unknown[];
  /** The number of an earlier page that has the same records. */
  sameAs?: number | undefined;
  /** How the count contradicts earlier pages. */
  countProblem?: string | undefined;
}

export function parsePage(reply: Reply, number: number, linkBase: string): PageResponse {
  const envelope = parseObject(reply.body);
  const { count, results } = envelope ?? {};
  return {
    ...reply,
    number,
    linkBase,
    envelope,
    count: typeof count === "number" && isCount(count) ? count : undefined,
    results: Array.isArray(results) ? results : [],
  };
}

/** Whether a response is a page at all. With another status than 200, an object without results is an error. */
export function isPage({ status, envelope }: PageResponse): boolean {
  return envelope !== undefined && (status === 200 || Array.isArray(envelope.results));
}

/** Whether a page is the last one, according to its count. */
export function isLast({ number, count }: PageResponse): boolean {
  return count !== undefined && number >= lastPage(count);
}

/** UTF-8, without a byte order mark (RFC 8259, 8.1). */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A text without this has no number that `keepNumber` would change, and no deep nesting. It is parsed much faster. */
const UNUSUAL = /\d[.eE]|\d{16}|\[{50}/;

function parseObject(body: Uint8Array): Fields | undefined {
  try {
    const text = UTF8.decode(body);
    const value: unknown = UNUSUAL.test(text) ? JSON.parse(text, keepNumber) : JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface RawNumber {
  rawJSON: string;
}
declare global {
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

const INTEGER = /^-?\d+$/;

/** Keeps the text of numbers that are not written as integers, such as `1.0`, or that JavaScript would round. */
function keepNumber(_: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return INTEGER.test(context.source) && Number.isSafeInteger(value) ? value : JSON.rawJSON(context.source);
}

// The functions below take values of a parsed body.

/** A value that identifies an integer of any size in a set; undefined if the value is not an integer. */
export function integerKey(value: unknown): number | string | undefined {
  if (JSON.isRawJSON(value)) return INTEGER.test(value.rawJSON) ? value.rawJSON : undefined;
  return typeof value === "number" ? value : undefined;
}

export function isInteger(value: unknown): boolean {
  return integerKey(value) !== undefined;
}

/** An integer of any size, 0 or greater. */
export function isCount(value: unknown): boolean {
  return isInteger(value) && !String(integerKey(value)).startsWith("-");
}

/** A date-time that exists, in the shape of the specification. */
export function isTimestamp(value: unknown): value is string {
  const time = typeof value === "string" && value.length === 20 ? Date.parse(value) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString() === String(value).replace("Z", ".000Z");
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** @returns undefined if the value is not a record with a valid id */
export function readId(record: unknown): number | string | undefined {
  return isObject(record) ? integerKey(record.id) : undefined;
}

/** Formats a value as the body has it, shortened; `missing` if there is none. */
export function describeValue(value: unknown, max?: number): string {
  return value === undefined ? "missing" : formatValue(value, max);
}
