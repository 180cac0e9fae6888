import { FAULT_CACHE_CONTROLS } from "../../src/faults/fault-response.ts";
import { COLLECTION_METHODS, PAGE_CACHE_CONTROL } from "../../src/http/headers.ts";
import { URL_TOO_LONG } from "../../src/http/links.ts";
import type { Header, ResponseObject, Responses, Schema } from "./openapi-types.ts";

/** The headers of the interface. CORS headers are not described. */
export const HEADERS: Record<string, Header> = {
  Allow: createHeader("The methods of the collection.", { const: COLLECTION_METHODS }),
  Vary: createHeader("The request header that the response depends on.", { const: "Accept" }),
  ETag: createHeader("Identifies the JSON of a page, for `If-None-Match`.", { pattern: '^"[^"]+"$' }),
  "Cache-Control": createHeader(
    "Caches can store a page for some seconds, and use it for an hour if the service fails. Errors must not be cached.",
    { enum: [PAGE_CACHE_CONTROL, ...FAULT_CACHE_CONTROLS] },
  ),
  "Data-Source": createHeader("The source of the records, such as `generated`, if the page has records."),
  Link: createHeader("The relative URL of a page about the records, if the page has records.", {
    const: '</>; rel="describedby"',
  }),
  "Retry-After": createHeader(
    "When to try again, in seconds or as an HTTP date. With 429 and 503, and with other errors if `prefer` asks for it.",
    { pattern: "^\\d+$| GMT$" },
  ),
  "Preference-Applied": createHeader("The options that were applied to this response (RFC 7240)."),
  "Mock-Warning": createHeader(
    "Says which options were ignored, because they are invalid or misplaced, or that too many responses are already waiting.",
  ),
};

/** The headers of every response to GET. It has the last two only if an option applied, or was ignored. */
export const SHARED_HEADERS = ["Allow", "Vary", "Cache-Control", "Preference-Applied", "Mock-Warning"];

function createHeader(description: string, schema: Schema = {}): Header {
  return { description, schema: { type: "string", ...schema } };
}

/** The errors of all operations. */
const SHARED_ERRORS: Responses = {
  400: createError("`prefer` has an unknown, invalid or repeated option, or a rule that is never reached."),
  406: createError("`Accept` allows neither JSON nor HTML."),
  414: createError(URL_TOO_LONG),
  429: createError("The client has sent more requests than this deployment allows.", "Retry-After"),
  default: createError("Any status from 400 to 599, if `prefer` requests it.", "Retry-After"),
};

/** Adds the errors that all operations have, and the headers that all responses have. */
export function completeResponses(own: Responses): Responses {
  return Object.fromEntries(
    Object.entries({ ...SHARED_ERRORS, ...own }).map(([status, response]) => {
      const headers = { ...listHeaders(...SHARED_HEADERS), ...response.headers };
      return [status, { ...response, headers }];
    }),
  );
}

/** Describes an error, with the headers that only this error has. */
export function createError(description: string, ...headers: string[]): ResponseObject {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  return { description, headers: listHeaders(...headers), content };
}

export function listHeaders(...names: string[]): ResponseObject["headers"] {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
