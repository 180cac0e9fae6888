import * as z from "zod";
import type { PageLocation } from "./page.ts";
import { TrafficRecord } from "./record.ts";

// The worker does not use the schema. PURE lets the bundler remove it together with zod.

/** A page of the collection with links to its neighbors (specification, "Page envelope"). */
export const Page = /* @__PURE__ */ createPageSchema();
export type Page = z.infer<typeof Page>;

function createPageSchema() {
  const createLink = (description: string) => z.url().nullable().meta({ description });
  return z.strictObject({
    count: z.int().nonnegative().meta({ description: "Records in the whole collection, not on this page." }),
    next: createLink("Absolute URL of the page with older records; null on the last page."),
    previous: createLink("Absolute URL of the page with newer records; null on the first page."),
    results: z.array(TrafficRecord).meta({ description: "The records of this page, newest first." }),
  });
}

/**
 * Formats a page as JSON.
 * @param results The records of the page, as a JSON array
 * @param getPageUrl Returns the absolute URL of a page
 */
export function formatEnvelope(
  { count, next, previous }: PageLocation,
  results: string,
  getPageUrl: (page: number) => string,
): string {
  const formatLink = (page: number | null) => (page === null ? "null" : JSON.stringify(getPageUrl(page)));
  return `{"count":${count},"next":${formatLink(next)},"previous":${formatLink(previous)},"results":${results}}`;
}
