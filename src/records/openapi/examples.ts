import {
  HttpError,
  methodNotAllowed,
  notAcceptable,
  notFound,
  throttled,
  unavailable,
} from "../../http/errors.ts";
import type { Example } from "../../http/openapi/types.ts";
import { COLLECTION_PATH, locatePage, pageUrls, writeEnvelope } from "../page.ts";
import { DESCRIPTION, METHODS } from "../route.ts";
import seed from "./seed-pages.json" with { type: "json" };

/** A request to the collection, and the response while the seed is loaded. */
export interface Exchange {
  method: string;
  /** With its question mark, or empty. */
  query: string;
  accept?: string;
  status: number;
  body: unknown;
}

export type ExampleName =
  | "newest"
  | "second"
  | "oldest"
  | "description"
  | "invalidPage"
  | "unknownFormat"
  | "notAcceptable"
  | "methodNotAllowed"
  | "throttled"
  | "unavailable";

/**
 * Creates requests and their responses with the functions that create the real responses.
 * @param origin the origin of the links
 */
export function createExchanges(origin: string): Record<ExampleName, Exchange> {
  const get = (query: string, status: number, body: unknown) => ({ method: "GET", query, status, body });
  const page = (query: string, number: keyof typeof seed.pages) =>
    get(query, 200, writePage(origin, query, number));
  return {
    newest: page("", "1"),
    second: page("?format=json&page=2", "2"),
    oldest: page("?page=last", "2708"),
    description: { method: "OPTIONS", query: "", status: 200, body: DESCRIPTION },
    invalidPage: get("?page=0", 404, new HttpError(404, { detail: "Invalid page." }).body),
    unknownFormat: get("?format=xml", 404, notFound().body),
    notAcceptable: { ...get("", 406, notAcceptable().body), accept: "image/png" },
    methodNotAllowed: {
      method: "POST",
      query: "",
      status: 405,
      body: methodNotAllowed("POST", METHODS).body,
    },
    // The mock always asks clients to wait for 2 seconds.
    throttled: get("?prefer=code=429", 429, throttled(2).body),
    unavailable: get("", 503, unavailable().body),
  };
}

function writePage(origin: string, query: string, number: keyof typeof seed.pages): unknown {
  const results = JSON.stringify(seed.pages[number]);
  const url = pageUrls(origin + COLLECTION_PATH, new URLSearchParams(query));
  return JSON.parse(writeEnvelope(locatePage(seed.count, Number(number)), results, url));
}

/** Converts an exchange to an example of the document. Its summary is the request. */
export function toExample({ method, query, accept, body }: Exchange): Example {
  const header = accept === undefined ? "" : `, Accept: ${accept}`;
  return { summary: `${method} ${COLLECTION_PATH}${query}${header}`, value: body };
}
