import { neighbours } from "./page.ts";

/** The path of the collection (specification, "List records"). */
export const COLLECTION_PATH = "/api/tf1/records/";

/** What an envelope is made of. */
interface EnvelopeParts {
  /** Records in the collection. */
  count: number;
  /** The number of the page. */
  number: number;
  /** Its records as JSON, an array. */
  results: string;
}

/**
 * The page envelope (specification, "Page envelope"), around records that are JSON already.
 * @param url gives the absolute URL of a page
 */
export function writeEnvelope(
  { count, number, results }: EnvelopeParts,
  url: (page: number) => string,
): string {
  const { next, previous } = neighbours(count, number);
  const link = (page: number | null) => (page === null ? null : JSON.stringify(url(page)));
  return `{"count":${count},"next":${link(next)},"previous":${link(previous)},"results":${results}}`;
}
