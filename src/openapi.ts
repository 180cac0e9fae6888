import * as z from "zod";
import project from "../package.json" with { type: "json" };
import { ALLOWED_METHODS, OPTIONS_BODY } from "./collection.ts";
import { PLACEHOLDER_ORIGIN, SERVICE_SUMMARY, SITE_NAME } from "./constants.ts";
import { OPTIONS } from "./faults/option-table.ts";
import { BODY_FAULT_CACHE_CONTROL } from "./faults/response-options.ts";
import { ERROR_CACHE_CONTROL, PAGE_CACHE_CONTROL } from "./http/headers.ts";
import { COLLECTION_PATH, MAX_PAGE, PAGE_SIZE } from "./records/page.ts";
import { NO_COUNTS, Page, TrafficRecord } from "./records/record.ts";

// The OpenAPI document. The build writes it (tools/build-assets.ts), so the worker contains neither this module nor zod.

/** Marks the parts that exist only if faults are on. The document does not contain the marks. */
const FAULTS_ONLY = { "x-faults-only": true } as const;

const FORMAT_SCHEMA: Schema = { type: "string", enum: ["api", "json"], default: "api" };

const PREFER_PARAMETERS: Parameter[] = [
  {
    name: "prefer",
    in: "query",
    description: `Makes the response fail, to test a client. The links keep the parameter. The options can be combined:\n\n${formatOptions()}`,
    schema: { type: "string" },
    ...FAULTS_ONLY,
  },
  {
    name: "Prefer",
    in: "header",
    description:
      "Accepts the same options as the query parameter `prefer`, and has precedence over it. Unknown and invalid options are ignored (RFC 7240). Caches do not vary on this header, so a cache may return a stored page, or a page up to an hour old in place of a 5xx. To avoid that, use the query parameter or the cache mode `no-store`.",
    schema: { type: "string" },
    ...FAULTS_ONLY,
  },
];

function formatOptions(): string {
  const rows = Object.values(OPTIONS);
  return rows.map((row) => `- \`${row.example}\`: ${row.description} (${row.expected}).`).join("\n");
}

/** The headers of the interface. CORS headers are not described. */
const HEADERS = {
  Allow: createHeader("The methods of the collection.", { const: ALLOWED_METHODS }),
  Vary: createHeader("The request header that the response depends on.", { const: "Accept" }),
  ETag: createHeader("Identifies the JSON of a page, for `If-None-Match`.", { pattern: '^"[^"]+"$' }),
  "Cache-Control": createHeader(
    "Caches can store a page for some seconds, and use it for an hour if the service fails. Errors must not be cached.",
    {
      anyOf: [
        { type: "string", enum: [PAGE_CACHE_CONTROL, ERROR_CACHE_CONTROL] },
        { type: "string", enum: ["no-cache", BODY_FAULT_CACHE_CONTROL], ...FAULTS_ONLY },
      ],
    },
  ),
  "Data-Source": createHeader("The source of the records, such as `generated`, if the page has records."),
  Link: createHeader("The relative URL of a page about the records, if the page has records.", {
    const: '</>; rel="describedby"',
  }),
  "Retry-After": createHeader("With 429 and 503: when to try again, in seconds or as an HTTP date.", {
    anyOf: [
      { type: "integer", minimum: 0 },
      { type: "string", pattern: " GMT$", ...FAULTS_ONLY },
    ],
  }),
  "Preference-Applied": {
    ...createHeader("The options that were applied to this response (RFC 7240)."),
    ...FAULTS_ONLY,
  },
  "Mock-Warning": {
    ...createHeader(
      "Lists the invalid options in the header `Prefer`, which were ignored, or reports that too many responses are already waiting.",
    ),
    ...FAULTS_ONLY,
  },
};

function createHeader(description: string, schema: Schema = {}): Header {
  return { description, schema: schema.anyOf ? schema : { type: "string", ...schema } };
}

/** Lists the headers that every response has, and the additional headers in `names`. */
function listHeaders(...names: (keyof typeof HEADERS)[]): ResponseObject["headers"] {
  const all = ["Allow", "Vary", "Cache-Control", "Preference-Applied", "Mock-Warning", ...names] as const;
  return Object.fromEntries(
    all.map((name) => {
      const { description: _, schema: __, ...mark } = HEADERS[name];
      return [name, { $ref: `#/components/headers/${name}`, ...mark }];
    }),
  );
}

function createContent(schema: Schema, example?: object) {
  return { "application/json": { schema, ...(example && { example }) } };
}

function createError(description: string, ...headers: "Retry-After"[]): ResponseObject {
  const content = createContent({ $ref: "#/components/schemas/Error" });
  return { description, headers: listHeaders(...headers), content };
}

/** The errors of both operations. */
const ERRORS = {
  400: { ...createError("`prefer` contains an unknown option or an invalid value."), ...FAULTS_ONLY },
  406: createError("`Accept` allows neither JSON nor HTML."),
  414: createError("The URL is longer than 8192 characters."),
  429: createError("The client has sent more requests than this deployment allows.", "Retry-After"),
  default: {
    ...createError("Any status from 400 to 599, if `prefer` requests it.", "Retry-After"),
    ...FAULTS_ONLY,
  },
};

/** Generated records, newest first, so that the examples do not depend on the loaded records. */
export const EXAMPLE_RECORDS = Array.from(
  { length: PAGE_SIZE + 2 },
  (_, index): TrafficRecord => ({
    id: 10300727 - index,
    camera_pk: 33,
    camera_ref: "a57",
    timestamp: `2025-10-31T07:${59 - index}:10Z`,
    camera_ok: "True",
    ...NO_COUNTS,
    cars: index % 5,
    persons: index % 3,
    model_name: "tf1",
  }),
);

const EXAMPLE_PAGE: Page = {
  count: EXAMPLE_RECORDS.length,
  next: `${PLACEHOLDER_ORIGIN}${COLLECTION_PATH}?format=api&page=2`,
  previous: null,
  results: EXAMPLE_RECORDS.slice(0, PAGE_SIZE),
};

const LIST_OPERATION: Operation = {
  operationId: "listRecords",
  summary: "List records",
  description: `One page of the collection. \`results\` contains up to 15 records:

- Records are sorted newest first by \`timestamp\`: a higher page number contains older records. Records with the same timestamp are not sorted by id.
- \`camera_ok\` is null in records of older periods.
- \`count\` is the same on all pages until the collection changes.
- \`next\` and \`previous\` are absolute URLs that keep the other parameters of the request.

\`HEAD\` has the same response without its body.`,
  parameters: [
    {
      name: "page",
      in: "query",
      description:
        "The number of the page: 1 is the newest, and `last` is the oldest. Absent or empty means 1. If the parameter is repeated, the last value counts.",
      schema: {
        anyOf: [
          { type: "integer", minimum: 1, maximum: MAX_PAGE },
          { type: "string", const: "last" },
        ],
        default: 1,
      },
    },
    {
      name: "format",
      in: "query",
      description:
        "`json` always returns JSON. With `api`, or if the parameter is absent or empty, `Accept` decides: HTML if it prefers `text/html`, otherwise JSON. The links keep the parameter.",
      schema: FORMAT_SCHEMA,
    },
    ...PREFER_PARAMETERS,
    {
      name: "If-None-Match",
      in: "header",
      description:
        "The entity-tags of the client's copies, or `*`. If they include the page's `ETag`, the response is 304.",
      schema: { type: "string" },
    },
  ],
  responses: {
    200: {
      description: "The page, with links to its neighbors.",
      headers: listHeaders("ETag", "Data-Source", "Link"),
      content: createContent({ $ref: "#/components/schemas/Page" }, EXAMPLE_PAGE),
    },
    304: {
      description: "`If-None-Match` contains the `ETag` of the page: the client's copy is current.",
      headers: listHeaders("ETag"),
    },
    404: createError("`page` is not a positive integer or is past the end, or `format` is unknown."),
    503: createError("The collection cannot be read at the moment.", "Retry-After"),
    ...ERRORS,
  },
};

const DESCRIBE_OPERATION: Operation = {
  operationId: "describeRecords",
  summary: "Describe the collection",
  description: "Describes the collection and its media types.",
  parameters: [
    {
      name: "format",
      in: "query",
      description:
        "The description is always JSON. With `json`, `Accept` does not matter. With `api`, or if the parameter is absent or empty, `Accept` must allow JSON or HTML.",
      schema: FORMAT_SCHEMA,
    },
    ...PREFER_PARAMETERS,
  ],
  responses: {
    200: {
      description: "The description of the collection.",
      headers: listHeaders(),
      content: createContent({ type: "object", additionalProperties: true }, OPTIONS_BODY),
    },
    404: createError("`format` is unknown."),
    ...ERRORS,
  },
};

const ErrorBody = z.strictObject({ detail: z.string().meta({ description: "What went wrong." }) });

function convertSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string; title: string }>();
  registry.add(TrafficRecord, { id: "TrafficRecord", title: "Record" });
  registry.add(Page, { id: "Page", title: "Page envelope" });
  registry.add(ErrorBody, { id: "Error", title: "Error" });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    override({ zodSchema, jsonSchema }) {
      // The schema itself has no maximum, because the conformance checker also uses the schema for other services.
      if (zodSchema === Page.shape.results) jsonSchema.maxItems = PAGE_SIZE;
    },
  });
  // Omit `$schema` and `$id`, because the document itself specifies the dialect and the URLs of the schemas.
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  );
}

const DOCUMENT: OpenApiDocument = {
  openapi: "3.1.1",
  info: {
    title: SITE_NAME,
    version: project.version,
    summary: "Counts of road users by roadside cameras, page by page.",
    description: `A public ${SERVICE_SUMMARY}. It responds to the same requests in the same way, with its own records: a read-only collection of road users, counted by roadside cameras.

Scripts from any origin can read it without authentication. To read the whole collection, follow \`next\` until it is null.

Browsers, whose \`Accept\` prefers \`text/html\`, get the same responses as HTML.`,
    license: { name: "MIT License", identifier: project.license },
  },
  servers: [{ url: PLACEHOLDER_ORIGIN, description: "This deployment" }],
  security: [],
  paths: { [COLLECTION_PATH]: { get: LIST_OPERATION, options: DESCRIBE_OPERATION } },
  components: { schemas: convertSchemas(), headers: HEADERS },
};

/**
 * Creates the description of the service in OpenAPI 3.1.
 * @param origin The scheme, host and port of the service, as clients see them
 * @param withFaults Whether faults are on
 */
export function createOpenApiDocument(origin: string, withFaults = true): OpenApiDocument {
  const isIncluded = (value: unknown) => withFaults || !Object.hasOwn(Object(value), "x-faults-only");
  const text = JSON.stringify(DOCUMENT, (name, value) => {
    if (name === "x-faults-only" || !isIncluded(value)) return undefined;
    return Array.isArray(value) ? value.filter(isIncluded) : value;
  });
  return JSON.parse(text.replaceAll(PLACEHOLDER_ORIGIN, origin));
}

/** A schema in JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type Schema = Record<string, unknown>;
export type Header = { description: string; schema: Schema };
export type Parameter = Header & { name: string; in: "query" | "header" };
export type Components = { schemas: Record<string, Schema>; headers: Record<string, Header> };

export interface ResponseObject {
  description: string;
  headers: Record<string, { $ref: string }>;
  /** The body by media type; undefined if the response has no body. */
  content?: Record<string, { schema: Schema; example?: object }>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  /** The responses by status. */
  responses: Record<string, ResponseObject>;
}

/** The parts of an OpenAPI 3.1 document that this service needs. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: { url: string; description: string }[];
  /** The security requirements: none, because the service has no authentication. */
  security: [];
  paths: Record<string, { get?: Operation; options?: Operation }>;
  components: Components;
}
