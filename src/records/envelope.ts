import type { PageLocation } from "./page.ts";
import type { Page, TrafficRecord } from "./schema.ts";

/** Creates a page as a value. */
export function createPage(
  { count, next, previous }: PageLocation,
  results: TrafficRecord[],
  getPageUrl: (number: number) => string,
): Page {
  const getLink = (number: number | null) => (number === null ? null : getPageUrl(number));
  return { count, next: getLink(next), previous: getLink(previous), results };
}

/** Formats the envelope of a page around its `results`, which stores keep as a JSON array. */
export function formatEnvelope(
  { count, next, previous }: PageLocation,
  results: string,
  getPageUrl: (number: number) => string,
): string {
  const formatLink = (number: number | null) =>
    number === null ? "null" : JSON.stringify(getPageUrl(number));
  return `{"count":${count},"next":${formatLink(next)},"previous":${formatLink(previous)},"results":${results}}`;
}
