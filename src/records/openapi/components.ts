import * as z from "zod";
import { ERROR_CACHING, PAGE_CACHING } from "../../http/headers.ts";
import {
  createHeaderReference,
  describeConstant,
  SERVICE_HEADERS,
  toComponents,
} from "../../http/openapi/components.ts";
import type { Components, Header } from "../../http/openapi/types.ts";
import { COLLECTION_PATH, PAGE_SIZE } from "../page.ts";
import { Page, TrafficRecord } from "../record.ts";
import { type DESCRIPTION, METHODS } from "../route.ts";

/** A page of this service. The schema for reading pages allows more records, because other services may send them. */
const LimitedPage = Page.extend({
  results: Page.shape.results.max(PAGE_SIZE).meta(z.globalRegistry.get(Page.shape.results) ?? {}),
});

const DescriptionSchema: z.ZodType<typeof DESCRIPTION> = z.strictObject({
  name: z.string(),
  description: z.string(),
  renders: z.array(z.string()).meta({ description: "Media types of responses." }),
  parses: z.array(z.string()).meta({
    description:
      "Media types of request bodies, as services of this kind list them. There is no write operation.",
  }),
});

const schemas = {
  TrafficRecord: { schema: TrafficRecord, title: "Record" },
  Page: { schema: LimitedPage, title: "Page envelope" },
  Description: { schema: DescriptionSchema, title: "Description of the collection" },
};

const headers = {
  Allow: describeConstant(METHODS, "The methods of the collection (specification, List records)."),
  Vary: describeConstant(
    "Accept",
    "What the response depends on besides its URL (specification, List records).",
  ),
  ETag: {
    description:
      "Identifies this content of this page, if the response is JSON. Send it as `If-None-Match` to find out whether the " +
      "page has changed.",
    required: false,
    schema: { type: "string", pattern: '^"[^"]+"$' },
  },
  PageCaching: {
    description:
      "A page may be kept for some seconds, or for an hour if the service fails. A page that the mock changed must not be kept.",
    required: true,
    schema: { type: "string", enum: [PAGE_CACHING, "no-cache", ERROR_CACHING] },
  },
  Location: {
    description: "The path with its slash, and the query as it was sent.",
    required: true,
    schema: { type: "string", pattern: `^${COLLECTION_PATH}(\\?.*)?$` },
    example: `${COLLECTION_PATH}?page=2`,
  },
} satisfies Record<string, Header>;

/** A reference to a header of the collection. */
export const refer = createHeaderReference(headers);

/** The headers of every response of the collection. */
export const COLLECTION_HEADERS = { Allow: refer("Allow"), Vary: refer("Vary"), ...SERVICE_HEADERS };

/** The components of the document that only the collection uses. */
export const components: Components = { schemas: toComponents(schemas), headers };
