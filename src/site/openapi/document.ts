import project from "../../../package.json" with { type: "json" };
import { commonHeaders, ErrorSchema, toComponents } from "../../http/openapi/components.ts";
import type { OpenApiDocument } from "../../http/openapi/types.ts";
import { describeMock } from "../../mock/openapi.ts";
import { describeCollection } from "../../records/openapi.ts";
import { SITE_NAME, STAND_IN } from "../about.ts";

const ABOUT = `A public ${STAND_IN}. It responds to the same requests in the same way, with records of its own: a
read-only collection of road users, counted by roadside cameras.

Scripts of any origin may read it without authentication. To read the whole collection, follow \`next\` until it is null.`;

/**
 * Describes the service in OpenAPI 3.1. Each endpoint describes itself next to its route.
 * @param origin the scheme, host and port under which clients reach the service
 */
export function describeService(origin: string): OpenApiDocument {
  const mock = describeMock();
  const endpoints = [describeCollection(origin, mock)];
  const components = endpoints.map((endpoint) => endpoint.components);
  return {
    openapi: "3.1.1",
    info: {
      title: SITE_NAME,
      version: project.version,
      summary: "Counts of road users by roadside cameras, page by page.",
      description: ABOUT,
      license: { name: "MIT License", identifier: project.license },
    },
    servers: [{ url: origin, description: "This deployment" }],
    security: [],
    tags: endpoints.map(({ tag }) => tag),
    paths: Object.assign({}, ...endpoints.map(({ paths }) => paths)),
    components: {
      schemas: Object.assign(
        {},
        ...components.map(({ schemas }) => schemas),
        toComponents({ Error: { schema: ErrorSchema, title: "Error" } }),
      ),
      headers: Object.assign({}, ...components.map(({ headers }) => headers), commonHeaders, mock.headers),
    },
  };
}
