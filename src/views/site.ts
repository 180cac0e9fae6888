export const SITE_NAME = "Traffic Count Records";

/** A summary of the service as a noun phrase without an article. Sentences put `A` or `a public` in front. */
export const SERVICE_SUMMARY =
  "stand-in for the Traffic Count Records Service, whose original tf1 collection has been shut down";

/** Shown in place of the records if there are none, in Markdown. */
export const EMPTY_COLLECTION =
  "The collection is empty. To load records, run `npm run data -- load counts.csv`, with `--remote` for a deployment. " +
  "The package gets them at its start: `npx traffic-count-records counts.csv`.";

export const OPENAPI_PATH = "/openapi.json";

/** The path that redirects to the page of a date. */
export const DATE_JUMP_PATH = "/go";

export const HEALTH_PATH = "/healthz";

export const REFERENCE_PATH = "/docs";
