/** The name of the collection, and of the site. */
export const SITE_NAME = "Traffic Count Records";

/** What the service is. The text follows `A` or `a public`. */
export const SERVICE_SUMMARY =
  "stand-in for the Traffic Count Records Service, whose original tf1 collection has been switched off";

/** The path of the OpenAPI document. */
export const OPENAPI_PATH = "/openapi.json";

/** The path of the API reference. */
export const REFERENCE_PATH = "/docs";

/** The path that leads to the page of a date. */
export const GO_PATH = "/go";

/** The origin in the templates that the build writes (tools/build-assets.ts). */
export const PLACEHOLDER_ORIGIN = "https://origin.invalid";
