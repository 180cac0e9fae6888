import type { PageLocation } from "./page.ts";

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
