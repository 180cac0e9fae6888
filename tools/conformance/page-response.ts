import { Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { countKeys } from "../../data/formats/json.ts";
import { readJsonObjects } from "../../data/formats/json-objects.ts";
import { UnreadableError } from "../../data/formats/problem.ts";
import { formatValue } from "../../data/messages.ts";
import type { Reply } from "./retrying-client.ts";

export type Fields = Record<string, unknown>;

/** The response to GET of a page. */
export interface PageResponse extends Reply {
  /** The page number that was requested. */
  number: number;
  /** The body, if it is a JSON object that can be read. */
  envelope: Fields | undefined;
  /** What is wrong with the JSON of the body. */
  problem: string | undefined;
  /** The count of the envelope, if it is valid. */
  count: number | undefined;
  /** The results of the envelope; empty if they are not an array. */
  results: unknown[];
}

export async function parsePage(reply: Reply, number: number): Promise<PageResponse> {
  const { envelope, problem } = await parseObject(reply.body);
  const { count: value, results: array } = envelope ?? {};
  const count = typeof value === "number" && isCount(value) ? value : undefined;
  const results = Array.isArray(array) ? array : [];
  return { ...reply, number, envelope, problem, count, results };
}

/** Whether two responses show a page in the same state. */
export function isSamePage(one: PageResponse, other: PageResponse): boolean {
  return one.count === other.count && isDeepStrictEqual(one.results, other.results);
}

/** UTF-8, without a byte order mark (RFC 8259, 8.1). */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Parses a body within the limits of objects in files. Beyond them, its value could take a hundred times its memory. */
async function parseObject(body: Uint8Array): Promise<Pick<PageResponse, "envelope" | "problem">> {
  let message = "is not a JSON object";
  try {
    const text = UTF8.decode(body);
    if (/^\s*\{/.test(text)) {
      let keys = 0;
      for await (const objects of readJsonObjects(Readable.from([{ text, line: 1 }])))
        for (const object of objects) keys += object.keys;
      const value = JSON.parse(text);
      const problem = countKeys(value) === keys ? undefined : "the body has a key twice in one object";
      return { envelope: INEXACT.test(text) ? JSON.parse(text, keepNumber) : value, problem };
    }
  } catch (error) {
    if (error instanceof UnreadableError) message = error.message;
  }
  const shown = formatValue(Buffer.from(body.subarray(0, 200)).toString());
  return { envelope: undefined, problem: `the body ${message}: ${shown}` };
}

declare global {
  interface JSON {
    rawJSON(text: string): { rawJSON: string };
    isRawJSON(value: unknown): value is { rawJSON: string };
  }
}

const INTEGER = /^-?\d+$/;
/** Is in each text with a number for `keepNumber`; without one, parsing is three times as fast. */
const INEXACT = /\d[\d.eE]{15}|\d[.eE]/;

/** Keeps the text of numbers that are not written as integers, such as `1.0`, or that JavaScript would round. */
function keepNumber(_: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return INTEGER.test(context.source) && Number.isSafeInteger(value) ? value : JSON.rawJSON(context.source);
}

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
