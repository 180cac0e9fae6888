import { methodNotAllowed, notAcceptable, notFound, UNAVAILABLE, writeError } from "../../http/errors.ts";
import { errorOf } from "../../mock/errors.ts";
import { COLLECTION_PATH, writeEnvelope } from "../../records/envelope.ts";
import { pageUrls } from "../../records/page.ts";
import { DESCRIPTION, invalidPage, METHODS } from "../../records/route.ts";
import seed from "./seed-pages.json" with { type: "json" };
import type { Example } from "./types.ts";

/** A request to the collection and what is answered while the seed is loaded. */
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
 * Requests and their answers, made by what answers them.
 * @param origin with which the links begin
 */
export function makeExchanges(origin: string): Record<ExampleName, Exchange> {
  const get = (query: string, status: number, body: unknown) => ({ method: "GET", query, status, body });
  const page = (query: string, number: keyof typeof seed.pages) =>
    get(query, 200, writePage(origin, query, number));
  return {
    newest: page("", "1"),
    second: page("?format=json&page=2", "2"),
    oldest: page("?page=last", "2708"),
    description: { method: "OPTIONS", query: "", status: 200, body: DESCRIPTION },
    invalidPage: get("?page=0", 404, writeError(invalidPage())),
    unknownFormat: get("?format=xml", 404, writeError(notFound())),
    notAcceptable: { ...get("", 406, writeError(notAcceptable())), accept: "image/png" },
    methodNotAllowed: {
      method: "POST",
      query: "",
      status: 405,
      body: writeError(methodNotAllowed("POST", METHODS)),
    },
    throttled: get("?prefer=code=429", 429, writeError(errorOf(429, "GET"))),
    unavailable: get("", 503, UNAVAILABLE),
  };
}

function writePage(origin: string, query: string, number: keyof typeof seed.pages): unknown {
  const results = JSON.stringify(seed.pages[number]);
  const parts = { count: seed.count, number: Number(number), results };
  return JSON.parse(writeEnvelope(parts, pageUrls(origin + COLLECTION_PATH, new URLSearchParams(query))));
}

/** The exchange as an example of the document, which says the request before the answer. */
export function toExample({ method, query, accept, body }: Exchange): Example {
  const header = accept === undefined ? "" : `, Accept: ${accept}`;
  return { summary: `${method} ${COLLECTION_PATH}${query}${header}`, value: body };
}
