import type * as z from "zod";
import { FAULT_CACHE_CONTROLS } from "../../src/faults/fault-response.ts";
import { DESCRIPTIONS } from "../../src/faults/option-table.ts";
import { COLLECTION_METHODS, PAGE_CACHE_CONTROL } from "../../src/http/headers.ts";
import { URL_TOO_LONG } from "../../src/http/links.ts";
import { MAX_PAGE } from "../../src/records/page.ts";

// The parameters, headers and errors of the OpenAPI document. The types are our own, because no published package fits OpenAPI 3.1:
// `openapi-types` has the schemas of 3.0 for parameters, and `openapi3-ts` lacks `info.summary`.

/** A schema in JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type Schema = z.core.JSONSchema.BaseSchema;

export type Header = { description: string; schema: Schema };

interface Parameter extends Header {
  name: string;
  in: "query" | "header";
  /** Values of the parameter by name. */
  examples?: Record<string, { summary: string; value: string }>;
}

export interface ResponseObject {
  description: string;
  headers: Record<string, { $ref: string }>;
  /** The body by media type. Undefined if the response has no body. */
  content?: Record<string, { schema: Schema; example?: object }>;
}

export type Responses = Record<string, ResponseObject>;

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  responses: Responses;
}

export const PAGE_PARAMETER: Parameter = {
  name: "page",
  in: "query",
  description:
    "The number of the page: 1 is the newest, and `last` is the oldest. Absent or empty means 1. " +
    "If the parameter is repeated, the last value counts.",
  schema: {
    anyOf: [
      { type: "integer", minimum: 1, maximum: MAX_PAGE },
      { type: "string", const: "last" },
    ],
    default: 1,
  },
};

export const IF_NONE_MATCH_PARAMETER: Parameter = {
  name: "If-None-Match",
  in: "header",
  description:
    "The entity-tags of the client's copies, or `*`. If they include the page's `ETag`, the response is 304.",
  schema: { type: "string" },
};

export function createFormatParameter(description: string): Parameter {
  const schema: Schema = { type: "string", enum: ["api", "json"], default: "api" };
  return { name: "format", in: "query", description, schema };
}

export const PREFER_PARAMETERS: Parameter[] = [
  {
    name: "prefer",
    in: "query",
    description:
      "Makes the response fail, to test a client. Commas separate its options, such as `code=503`.\n\n" +
      "The links keep the parameter. A deployment can turn faults off.",
    schema: { type: "string" },
    examples: createFaultExamples(),
  },
  {
    name: "Prefer",
    in: "header",
    description:
      "Accepts the same options as the query parameter `prefer`, and replaces it if it has a valid option. " +
      "Unknown, invalid and repeated options are ignored with a warning (RFC 7240).\n\n" +
      "Caches do not vary on this header, so a cache may return a stored page, or a page up to an hour old in place of a 5xx. " +
      "To avoid that, use the query parameter or the cache mode `no-store`.",
    schema: { type: "string" },
  },
];

function createFaultExamples(): NonNullable<Parameter["examples"]> {
  const described = Object.values(DESCRIPTIONS).flatMap(({ examples, expected }) =>
    Object.entries(examples).map(([value, text]) => [value, { summary: `${text} (${expected}).`, value }]),
  );
  return Object.fromEntries(described);
}

/** The headers of the interface. CORS headers are not described. */
export const HEADERS = {
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
  "Retry-After": {
    description:
      "When to try again, in seconds or as an HTTP date. With 429 and 503, and with other errors if `prefer` asks for it.",
    schema: {
      anyOf: [
        { type: "integer", minimum: 0 },
        { type: "string", pattern: " GMT$" },
      ],
    },
  },
  "Preference-Applied": createHeader("The options that were applied to this response (RFC 7240)."),
  "Mock-Warning": createHeader(
    "Lists the invalid options in the header `Prefer`, which were ignored, or reports that too many responses are already waiting.",
  ),
} satisfies Record<string, Header>;

type HeaderName = keyof typeof HEADERS;

const SHARED_HEADERS: HeaderName[] = ["Allow", "Vary", "Cache-Control", "Preference-Applied", "Mock-Warning"];

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

/** Adds the responses that all operations have, unless an operation has its own, and the headers that all responses have. */
export function completeResponses(own: Responses): Responses {
  return Object.fromEntries(
    Object.entries({ ...SHARED_ERRORS, ...own }).map(([status, response]) => {
      const headers = { ...listHeaders(...SHARED_HEADERS), ...response.headers };
      return [status, { ...response, headers }];
    }),
  );
}

/** Describes an error, with the headers that only this error has. */
export function createError(description: string, ...headers: HeaderName[]): ResponseObject {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  return { description, headers: listHeaders(...headers), content };
}

export function listHeaders(...names: HeaderName[]): ResponseObject["headers"] {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
