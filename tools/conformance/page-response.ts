import { isDeepStrictEqual } from "node:util";
import { Page } from "../../src/records/record.ts";
import { isObject } from "../data/formats/validation.ts";
import type { Reply } from "./retrying-client.ts";

export type Fields = Record<string, unknown>;

/** The response to a GET request for a page. */
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
  const count = Page.shape.count.validate(value) ? value : undefined;
  const results = Array.isArray(array) ? array : [];
  return { ...reply, number, envelope, count, results };
}

/** Whether two responses have the same count and the same records. */
export function isSamePage(one: PageResponse, other: PageResponse): boolean {
  return one.count === other.count && isDeepStrictEqual(one.results, other.results);
}

/** Decodes UTF-8. JSON with a byte order mark is invalid (RFC 8259, 8.1). */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @returns undefined if the body is not a JSON object */
function parseObject(body: Uint8Array): Fields | undefined {
  try {
    const value: unknown = JSON.parse(UTF8.decode(body));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
