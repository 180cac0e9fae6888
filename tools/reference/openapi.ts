import * as z from "zod";
import project from "../../package.json" with { type: "json" };
import { COLLECTION_PATH } from "../../src/http/links.ts";
import { MAX_HEADER_LENGTH } from "../../src/http/request.ts";
import { PAGE_SIZE } from "../../src/records/page.ts";
import { Page, TrafficRecord } from "../../src/records/schema.ts";
import { OPTIONS_BODY } from "../../src/routes/collection.ts";
import { SERVICE_SUMMARY, SITE_NAME } from "../../src/views/site.ts";
import { generateRecords } from "../data/generator.ts";
import type { Schema } from "./openapi-types.ts";
import { PAGE_PARAMETERS, SHARED_PARAMETERS } from "./parameters.ts";
import { completeResponses, createError, HEADERS, listHeaders } from "./responses.ts";

// The OpenAPI document. The build writes it (tools/build-assets.ts), so the worker contains neither this module nor zod.

const EXAMPLE_PERIOD = { from: new Date("2025-10-31T06:00:00Z"), to: new Date("2025-10-31T18:00:00Z") };

/** Records of one camera, newest first: more than a page, so that the example page has a `next`. */
export const EXAMPLE_RECORDS = [...generateRecords({ cameras: 1, ...EXAMPLE_PERIOD })].reverse();

export const EXAMPLE_PAGE: Page = {
  count: EXAMPLE_RECORDS.length,
  next: `https://counts.example${COLLECTION_PATH}?format=api&page=2`,
  previous: null,
  results: EXAMPLE_RECORDS.slice(0, PAGE_SIZE),
};

const LIST_OPERATION = {
  operationId: "listRecords",
  summary: "List records",
  description: `One page of the collection: up to ${PAGE_SIZE} records, newest first. A higher page number has older records. Records with the same timestamp are not sorted by \`id\`.

\`count\` is the same on all pages until the collection changes. \`next\` and \`previous\` keep the other parameters of the request.

\`HEAD\` has the same response without its body, and \`OPTIONS\` describes the collection. An \`Accept\`, \`Prefer\` or \`If-None-Match\` of more than ${MAX_HEADER_LENGTH} characters is ignored.`,
  parameters: PAGE_PARAMETERS,
  responses: completeResponses({
    200: {
      description: "The page, with links to its neighbors.",
      headers: listHeaders("ETag", "Data-Source", "Link"),
      content: {
        "application/json": { schema: { $ref: "#/components/schemas/Page" }, example: EXAMPLE_PAGE },
      },
    },
    304: {
      description: "`If-None-Match` contains the `ETag` of the page: the client's copy is current.",
      headers: listHeaders("ETag"),
    },
    404: createError("`page` is past the end or not the number of a page, or `format` is unknown."),
    503: createError("The collection cannot be read at the moment.", "Retry-After"),
  }),
};

const DESCRIBE_OPERATION = {
  operationId: "describeRecords",
  summary: "Describe the collection",
  description: "Describes the collection and its media types.",
  parameters: SHARED_PARAMETERS,
  responses: completeResponses({
    200: {
      description: "The description of the collection.",
      headers: {},
      content: {
        "application/json": { schema: { type: "object", additionalProperties: true }, example: OPTIONS_BODY },
      },
    },
    404: createError("`format` is unknown."),
  }),
};

const ErrorBody = z.strictObject({
  detail: z.string().meta({ description: 'What went wrong, such as `{"detail":"Invalid page."}`.' }),
});

function createSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string; title: string }>();
  registry.add(TrafficRecord, { id: "TrafficRecord", title: "Record" });
  // `Page` itself has no maximum, because the conformance checker also uses it for other services.
  const results = Page.shape.results.max(PAGE_SIZE);
  registry.add(Page.extend({ results }), { id: "Page", title: "Page envelope" });
  registry.add(ErrorBody, { id: "Error", title: "Error" });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}` });
  for (const schema of Object.values(schemas)) {
    // OpenAPI 3.1 implies the dialect, and the name of a schema in the document is enough.
    delete schema.$schema;
    delete schema.$id;
  }
  return schemas;
}

export const OPENAPI_DOCUMENT = {
  openapi: "3.1.1",
  info: {
    title: SITE_NAME,
    version: project.version,
    summary: "Counts of road users by roadside cameras, page by page.",
    description: `A public ${SERVICE_SUMMARY}. It responds as the original did, but with its own records: a read-only collection of counts of road users by roadside cameras.

Scripts from any origin can read it without authentication. To read the whole collection, follow \`next\` until it is null.

Browsers, whose \`Accept\` prefers \`text/html\`, get the same responses as HTML.`,
    license: { name: "MIT License", identifier: project.license },
  },
  // Relative to the URL of the document (OpenAPI specification, "Server Object").
  servers: [{ url: "/", description: "This deployment" }],
  // The service has no authentication.
  security: [],
  paths: { [COLLECTION_PATH]: { get: LIST_OPERATION, options: DESCRIBE_OPERATION } },
  components: { schemas: createSchemas(), headers: HEADERS },
};
