export const SITE_NAME = "Traffic Count Records";

/** A summary of the service as a noun phrase without an article. Sentences put `A` or `a public` in front. */
export const SERVICE_SUMMARY =
  "stand-in for the Traffic Count Records Service, whose original tf1 collection has been shut down";

export const OPENAPI_PATH = "/openapi.json";

/** The path that redirects to the page of a date. */
export const DATE_JUMP_PATH = "/go";

export const HEALTH_PATH = "/healthz";

export const REFERENCE_PATH = "/docs";
