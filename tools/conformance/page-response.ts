import { isDeepStrictEqual } from "node:util";
import { formatValue } from "../../data/messages.ts";
import type { Reply } from "./retrying-client.ts";

export type Fields = Record<string, unknown>;

/** The response to GET of a page. */
export interface PageResponse extends Reply {
  /** The page number that was requested. */
  number: number;
  /** The body, if it is a JSON object. */
  envelope: Fields | undefined;
  /** The count of the envelope, if it is valid. */
  count: number | undefined;
  /** The results of the envelope; empty if they are not an array. */
  results: unknown[];
}

export function parsePage(reply: Reply, number: number): PageResponse {
  const envelope = parseObject(reply.body);
  const { count: value, results: array } = envelope ?? {};
  const count = typeof value === "number" && isCount(value) ? value : undefined;
  const results = Array.isArray(array) ? array : [];
  return { ...reply, number, envelope, count, results };
}

/** Whether two responses show a page in the same state. */
export function isSamePage(one: PageResponse, other: PageResponse): boolean {
  return one.count === other.count && isDeepStrictEqual(one.results, other.results);
}

/** UTF-8, without a byte order mark (RFC 8259, 8.1). */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parseObject(body: Uint8Array): Fields | undefined {
  try {
    const value: unknown = JSON.parse(UTF8.decode(body), keepNumber);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

declare global {
  interface JSON {
    rawJSON(text: string): { rawJSON: string };
    isRawJSON(value: unknown): value is { rawJSON: string };
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

/** An integer of any size, 0 or greater. */
export function isCount(value: unknown): boolean {
  return /^\d/.test(String(integerKey(value)));
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** Formats a value as the body has it, shortened; `missing` if there is none. */
export function describeValue(value: unknown, max?: number): string {
  return value === undefined ? "missing" : formatValue(value, max);
}
