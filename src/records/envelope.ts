import type { PageLocation } from "./page.ts";

/**
 * Formats a page as JSON.
 * @param results The records of the page, as a JSON array
 */
export function formatEnvelope(
  { count, next, previous }: PageLocation,
  results: string,
  getPageUrl: (page: number) => string,
): string {
  const formatLink = (page: number | null) => (page === null ? "null" : JSON.stringify(getPageUrl(page)));
  return `{"count":${count},"next":${formatLink(next)},"previous":${formatLink(previous)},"results":${results}}`;
}
