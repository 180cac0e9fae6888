import * as z from "zod";
import project from "../package.json" with { type: "json" };
import { ALLOWED_METHODS, OPTIONS_BODY } from "./collection.ts";
import { PLACEHOLDER_ORIGIN, SERVICE_SUMMARY, SITE_NAME } from "./constants.ts";
import { OPTIONS } from "./faults/option-table.ts";
import { NO_TRANSFORM } from "./faults/response-options.ts";
import { ERROR_CACHE_CONTROL, PAGE_CACHE_CONTROL } from "./http/headers.ts";
import {
  COLLECTION_PATH,
  createPageUrls,
  formatEnvelope,
  locatePage,
  MAX_PAGE,
  PAGE_SIZE,
} from "./records/page.ts";
import { Page, TrafficRecord } from "./records/record.ts";

// The OpenAPI document. The build writes it (tools/build-assets.ts), so the worker contains neither this module nor zod.

const LAST_SCHEMA: Schema = { type: "string", const: "last" };

/** Marks what exists only with faults. The document does not contain the marks. */
const FAULTS_ONLY = { "x-faults-only": true } as const;

const PAGE_PARAMETER: Parameter = {
  name: "page",
  in: "query",
  description: `Number of the page: 1 is the newest, and \`last\` is the oldest. Absent or empty, it is 1. If it is repeated, the last value counts.`,
  allowEmptyValue: true,
  schema: { anyOf: [{ type: "integer", minimum: 1, maximum: MAX_PAGE }, LAST_SCHEMA], default: 1 },
};
const FORMAT_PARAMETER = createFormatParameter(
  `\`json\` always returns JSON. With \`api\`, or if the parameter is absent or empty, \`Accept\` decides: HTML if it prefers \`text/html\`, otherwise JSON. The links keep the parameter.`,
);

function createFormatParameter(description: string): Parameter {
  const schema = { type: "string", enum: ["api", "json"], default: "api" };
  return { name: "format", in: "query", description, allowEmptyValue: true, schema };
}

const IF_NONE_MATCH: Parameter = {
  name: "If-None-Match",
  in: "header",
  description: `Entity-tags of the copies that the client has, or \`*\`. If one of them is the tag of the page, the response is 304 (RFC 9110, 13.1.2).`,
  schema: { type: "string" },
};
const PREFER_PARAMETERS: Parameter[] = [
  {
    ...FAULTS_ONLY,
    name: "prefer",
    in: "query",
    description: `Makes the response fail, to test a client. The links keep the parameter. The options can be combined:\n\n${formatOptions()}`,
    allowEmptyValue: true,
    schema: { type: "string" },
  },
  {
    ...FAULTS_ONLY,
    name: "Prefer",
    in: "header",
    description: `The same options as in the query parameter \`prefer\`, which it precedes. Wrong options are ignored (RFC 7240). A cache does not know that the header matters: it may send a stored page, also of the last hour instead of a 5xx status. Use the query parameter, or the cache mode \`no-store\`.`,
    schema: { type: "string" },
  },
];

function formatOptions(): string {
  const rows = Object.values(OPTIONS);
  return rows.map((row) => `- \`${row.example}\`: ${row.description} (${row.value}).`).join("\n");
}

/** `Cache-Control` of a body that is cut or slow. */
const BODY_FAULT_CACHING = { const: NO_TRANSFORM, ...FAULTS_ONLY };

/** The headers of responses. A dot and a word distinguish descriptions of one header; `prefer` marks those that exist only with faults. */
const HEADERS = {
  Allow: constantHeader(ALLOWED_METHODS, "The methods of the collection."),
  Vary: constantHeader("Accept", "What the response depends on besides its URL."),
  "Access-Control-Allow-Origin": constantHeader("*", "Scripts of any origin may read the response."),
  "Access-Control-Expose-Headers": constantHeader("*", "Scripts of any origin may read its headers."),
  "X-Content-Type-Options": constantHeader("nosniff", "The content has the type that `Content-Type` says."),
  ETag: optionalHeader("Identifies the content of a page in JSON, for `If-None-Match`.", {
    pattern: '^"[^"]+"$',
  }),
  "Cache-Control.page": {
    description:
      "A page may be kept for some seconds, or for an hour if the service fails. With `no-cache`, a cache must ask again, and with `no-store`, it must not keep the page.",
    required: true,
    schema: anyOf({ enum: [PAGE_CACHE_CONTROL, "no-cache", ERROR_CACHE_CONTROL] }, BODY_FAULT_CACHING),
  },
  "Cache-Control.error": {
    description: "An error says nothing about the next request.",
    required: true,
    schema: anyOf({ const: ERROR_CACHE_CONTROL }, BODY_FAULT_CACHING),
  },
  "Cache-Control.prefer": {
    description: "Only with a preference.",
    required: false,
    schema: anyOf({ enum: ["no-cache", ERROR_CACHE_CONTROL] }, BODY_FAULT_CACHING),
  },
  "Retry-After": {
    description: "With 429 and 503: the time after which to try again, in seconds or as an HTTP date.",
    required: false,
    schema: {
      anyOf: [
        { type: "integer", minimum: 0 },
        { type: "string", pattern: " GMT$", ...FAULTS_ONLY },
      ],
    },
  },
  "Preference-Applied.prefer": optionalHeader(
    "The options that were applied to this response (RFC 7240, 3).",
  ),
  "Mock-Warning.prefer": optionalHeader(
    "What is wrong with the options in the header `Prefer`, which are ignored; or that too many responses wait already.",
  ),
  "Data-Source": optionalHeader("If the page has records: where they come from, such as `generated`."),
  Link: optionalHeader(
    "If the page has records: the address of a page about them, relative to that of the response.",
    {
      const: '</>; rel="describedby"',
    },
  ),
  "Access-Control-Allow-Methods": constantHeader("GET, OPTIONS", "The methods that a script may use."),
  "Access-Control-Allow-Headers": constantHeader("*", "A script may send any header."),
  "Access-Control-Max-Age": secondsHeader("Seconds for which a browser may keep this response.", 0),
} satisfies Record<string, Header>;

function anyOf(...schemas: Schema[]): Schema {
  return { anyOf: schemas.map((schema) => ({ type: "string", ...schema })) };
}

function constantHeader(value: string, description: string): Header {
  return { description, required: true, schema: { type: "string", const: value } };
}

function optionalHeader(description: string, schema: Schema = {}): Header {
  return { description, required: false, schema: { type: "string", ...schema } };
}

function secondsHeader(description: string, minimum: number): Header {
  return { description, required: true, schema: { type: "integer", minimum } };
}

function referTo(...names: (keyof typeof HEADERS)[]): Record<string, Reference> {
  const toReference = (name: string) => [name.split(".")[0], { $ref: `#/components/headers/${name}` }];
  return Object.fromEntries(names.map(toReference));
}

/** The headers of every response. Faults change all of them except that to a preflight. */
const CORS_HEADERS = referTo(
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
  "X-Content-Type-Options",
);
const BASE_HEADERS = { ...referTo("Allow", "Vary"), ...CORS_HEADERS };
const RESPONSE_HEADERS = { ...BASE_HEADERS, ...referTo("Preference-Applied.prefer", "Mock-Warning.prefer") };

/** A body in JSON, with examples by their requests: a method and what follows the path of the collection. */
function createContent(schema: string, examples: Record<string, unknown>): Content {
  const examplesByName = Object.entries(examples).map(([request, value], index) => {
    const summary = request.replace(" ", ` ${COLLECTION_PATH}`);
    return [`example${index + 1}`, { summary, value, ...(request.includes("?prefer=") && FAULTS_ONLY) }];
  });
  const reference = { $ref: `#/components/schemas/${schema}` };
  return { "application/json": { schema: reference, examples: Object.fromEntries(examplesByName) } };
}

/** An error, with the details of examples. */
function createErrorResponse(
  description: string,
  details: Record<string, string>,
  headers = {},
): ResponseObject {
  const bodies = Object.entries(details).map(([request, detail]) => [request, { detail }]);
  return {
    description,
    headers: { ...RESPONSE_HEADERS, ...referTo("Cache-Control.error"), ...headers },
    content: createContent("Error", Object.fromEntries(bodies)),
  };
}

const NOT_ACCEPTABLE = createErrorResponse("`Accept` allows neither JSON nor HTML.", {
  "GET , Accept: image/png": "Could not satisfy the request Accept header.",
});
const TOO_LONG = createErrorResponse(
  "The URL, or a link that repeats it, exceeds 2048 characters or 50 parameters.",
  {
    [`GET ?${"x&".repeat(50)}`]:
      "The URL, or a link that repeats it, exceeds 2048 characters or 50 parameters.",
  },
);
const THROTTLED = createErrorResponse(
  "The client has sent more requests than this deployment allows.",
  { "GET ?prefer=code=429": "Request was throttled. Expected available in 2 seconds." },
  referTo("Retry-After"),
);
const INVALID_PREFER = createErrorResponse("`prefer` contains an unknown option or an invalid value.", {
  "GET ?prefer=dealy=5": "dealy=5 is unknown. Did you mean delay?",
});
const ANY_ERROR = createErrorResponse(
  "Any status from 400 to 599, if `prefer` asks for it.",
  {},
  referTo("Retry-After"),
);
const WITH_FAULTS = { 400: { ...INVALID_PREFER, ...FAULTS_ONLY }, default: { ...ANY_ERROR, ...FAULTS_ONLY } };

// biome-ignore format: one record per line
const EXAMPLE_ROWS: [number, number, string, string, TrafficRecord["camera_ok"], ...number[]][] = [
  [10300727, 74, "c145", "2025-10-31T07:59:21Z", "True", 0, 0, 0, 0, 0, 0],
  [10300683, 56, "c121", "2025-10-31T07:59:11Z", "True", 14, 0, 0, 3, 0, 0],
  [10300688, 17, "fast02p1", "2025-10-31T07:59:09Z", "True", 4, 0, 0, 2, 0, 0],
  [10300708, 33, "a57", "2025-10-31T07:58:23Z", "True", 1, 3, 0, 0, 0, 1],
  [10300677, 34, "a57p2", "2025-10-31T07:58:23Z", "False", 0, 0, 0, 0, 0, 0],
  [10300704, 47, "c102", "2025-10-31T07:57:59Z", "True", 0, 2, 0, 0, 0, 0],
  [10300696, 75, "a104", "2025-10-31T07:57:58Z", "True", 4, 0, 0, 0, 0, 0],
  [10300675, 84, "g141p1", "2025-10-31T07:57:54Z", "True", 3, 0, 0, 0, 0, 0],
  [10300730, 85, "g141p2", "2025-10-31T07:57:54Z", "True", 8, 0, 0, 4, 0, 0],
  [10300656, 43, "a64", "2025-10-31T07:57:39Z", "True", 1, 6, 0, 0, 0, 0],
  [10300699, 86, "c175", "2025-10-31T07:57:20Z", "True", 0, 0, 0, 0, 0, 0],
  [10300706, 83, "c159", "2025-10-31T07:57:08Z", "True", 13, 0, 0, 4, 0, 0],
  [10300681, 20, "c54", "2025-10-31T07:56:10Z", "True", 0, 1, 0, 0, 0, 0],
  [10300717, 66, "pd3p1", "2025-10-31T07:56:05Z", "False", 0, 0, 0, 0, 0, 0],
  [10300686, 67, "pd3p2", "2025-10-31T07:56:05Z", "False", 0, 0, 0, 0, 0, 0],
  [10300655, 68, "pd3p3", "2025-10-31T07:56:05Z", "True", 3, 4, 0, 3, 0, 0],
  [10300710, 69, "pd3p4", "2025-10-31T07:56:05Z", "True", 9, 1, 0, 3, 0, 0],
];

/** Made-up records, newest first: the examples do not depend on what is loaded. */
export const EXAMPLE_RECORDS = EXAMPLE_ROWS.map(
  ([id, camera_pk, camera_ref, timestamp, camera_ok, ...counts]): TrafficRecord => {
    const [cars = 0, persons = 0, bicycles = 0, trucks = 0, motorcycles = 0, buses = 0] = counts;
    const users = { cars, persons, bicycles, trucks, motorcycles, buses };
    return { id, camera_pk, camera_ref, timestamp, camera_ok, ...users, model_name: "tf1" };
  },
);

function createExamplePage(query: string, number: number): unknown {
  const page = locatePage(number, EXAMPLE_RECORDS.length);
  if (!page) throw new Error(`The example has no page ${number}`);
  const results = EXAMPLE_RECORDS.slice(page.first - 1, page.last);
  const url = createPageUrls(PLACEHOLDER_ORIGIN + COLLECTION_PATH, new URLSearchParams(query));
  return JSON.parse(formatEnvelope(page, JSON.stringify(results), url));
}

const LIST_OPERATION: Operation = {
  operationId: "listRecords",
  summary: "List records",
  description: `One page of the collection. \`results\` contains up to 15 records:

- Records are sorted newest first by \`timestamp\`: a higher page number contains older records. Records with the same timestamp are not sorted by id.
- \`camera_ok\` is null in records of older periods.
- \`count\` is the same on all pages until the collection changes.
- \`next\` and \`previous\` are absolute URLs that keep the other parameters of the request.

\`HEAD\` has the same response without its body.`,
  tags: ["records"],
  parameters: [PAGE_PARAMETER, FORMAT_PARAMETER, ...PREFER_PARAMETERS, IF_NONE_MATCH],
  responses: {
    200: {
      description: "The page, with the links to its neighbours.",
      headers: { ...RESPONSE_HEADERS, ...referTo("ETag", "Cache-Control.page", "Data-Source", "Link") },
      content: createContent("Page", {
        "GET  (made-up records)": createExamplePage("", 1),
        "GET ?format=json&page=last (made-up records)": createExamplePage("?format=json&page=last", 2),
      }),
    },
    304: {
      description: "`If-None-Match` contains the `ETag` of the page: the client's copy is current.",
      headers: { ...RESPONSE_HEADERS, ...referTo("ETag", "Cache-Control.page") },
    },
    404: createErrorResponse(
      `\`page\` is not a positive integer or is past the end, or \`format\` is unknown.`,
      {
        "GET ?page=0": "Invalid page.",
        "GET ?format=xml": "Not found.",
      },
    ),
    405: createErrorResponse("The method is not `GET`, `HEAD` or `OPTIONS`.", {
      "POST ": 'Method "POST" not allowed.',
    }),
    406: NOT_ACCEPTABLE,
    414: TOO_LONG,
    429: THROTTLED,
    503: createErrorResponse(
      "The collection cannot be read at the moment. `Retry-After` says when to try again.",
      { "GET ?prefer=code=503": "Service temporarily unavailable, try again later." },
      referTo("Retry-After"),
    ),
    ...WITH_FAULTS,
  },
};

const DESCRIBE_OPERATION: Operation = {
  operationId: "describeRecords",
  summary: "Describe the collection",
  description: "What the collection contains, and its media types.",
  tags: ["records"],
  parameters: [
    createFormatParameter(
      "The description is always JSON. With `json`, `Accept` does not matter. With `api`, or if the parameter is absent or empty, `Accept` must allow JSON or HTML.",
    ),
    ...PREFER_PARAMETERS,
  ],
  responses: {
    200: {
      description: "The description of the collection.",
      headers: { ...RESPONSE_HEADERS, ...referTo("Cache-Control.prefer") },
      content: createContent("Description", { "OPTIONS ": OPTIONS_BODY }),
    },
    204: {
      description: "The response to a preflight, which has the header `Access-Control-Request-Method`.",
      headers: {
        ...BASE_HEADERS,
        ...referTo("Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "Access-Control-Max-Age"),
      },
    },
    404: createErrorResponse("`format` is unknown.", { "OPTIONS ?format=xml": "Not found." }),
    406: NOT_ACCEPTABLE,
    414: TOO_LONG,
    429: THROTTLED,
    ...WITH_FAULTS,
  },
};

const Description = z.strictObject({
  name: z.string(),
  description: z.string(),
  renders: z.array(z.string()).meta({ description: "Media types of responses." }),
  parses: z
    .array(z.string())
    .meta({ description: "Media types of request bodies. There is no write operation." }),
});
const ErrorBody = z.strictObject({
  detail: z.string().meta({ description: "What went wrong, for a person to read." }),
});

function convertSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string; title: string }>();
  registry.add(TrafficRecord, { id: "TrafficRecord", title: "Record" });
  registry.add(Page, { id: "Page", title: "Page envelope" });
  registry.add(Description, { id: "Description", title: "Description of the collection" });
  registry.add(ErrorBody, { id: "Error", title: "Error" });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    override({ zodSchema, jsonSchema }) {
      // Other services may send more, so the schema that reads pages has no limit.
      if (zodSchema === Page.shape.results) jsonSchema.maxItems = PAGE_SIZE;
    },
  });
  // A component has the dialect and the address of the document.
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
    description: `A public ${SERVICE_SUMMARY}. It responds to the same requests in the same way, with records of its own: a read-only collection of road users, counted by roadside cameras.

Scripts of any origin may read it without authentication. To read the whole collection, follow \`next\` until it is null.

Browsers, whose \`Accept\` prefers \`text/html\`, get the same responses as web pages.`,
    license: { name: "MIT License", identifier: project.license },
  },
  servers: [{ url: PLACEHOLDER_ORIGIN, description: "This deployment" }],
  security: [],
  tags: [{ name: "records", description: "The collection `tf1`." }],
  paths: { [COLLECTION_PATH]: { get: LIST_OPERATION, options: DESCRIBE_OPERATION } },
  components: { schemas: convertSchemas(), headers: HEADERS },
};

/**
 * Describes the service in OpenAPI 3.1.
 * @param origin the scheme, host and port under which clients reach the service
 * @param faults whether requests can ask for faults
 */
export function createOpenApiDocument(origin: string, faults = true): OpenApiDocument {
  const text = JSON.stringify(DOCUMENT).replaceAll(PLACEHOLDER_ORIGIN, origin);
  return JSON.parse(text, (name, value) => {
    if (name in FAULTS_ONLY && faults) return undefined;
    // JSON.parse leaves a gap for each element that is left out. This removes the gaps.
    if (Array.isArray(value)) return value.filter(() => true);
    const isFaultsOnly =
      value?.["x-faults-only"] || [name, value?.$ref].some((text) => text?.endsWith(".prefer"));
    return isFaultsOnly && !faults ? undefined : value;
  });
}

/** A schema in JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type Schema = Record<string, unknown>;
export type Reference = { $ref: string };
export type Header = { description: string; required?: boolean; schema: Schema };
export type Parameter = Header & { name: string; in: "query" | "header"; allowEmptyValue?: boolean };
export type Example = { summary: string; value: unknown };
/** By media type. */
export type Content = Record<string, { schema: Schema; examples?: Record<string, Example> }>;
/** Without content if the response has no body. */
export type ResponseObject = { description: string; headers: Record<string, Reference>; content?: Content };
export type Components = { schemas: Record<string, Schema>; headers: Record<string, Header> };
export type PathItem = Partial<Record<"get" | "options", Operation>>;

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: Parameter[];
  /** By status. */
  responses: Record<string, ResponseObject>;
}

/** The parts of an OpenAPI 3.1 document that this service needs. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: { url: string; description: string }[];
  /** Empty: there is no authentication. */
  security: [];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: Components;
}
