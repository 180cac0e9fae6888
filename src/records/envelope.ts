import { neighbours, pageUrls } from "./page.ts";

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
 * @param collection absolute URL of the collection, without query
 * @param query the query of the request, which the links keep
 */
export function writeEnvelope(
  { count, number, results }: EnvelopeParts,
  collection: string,
  query: URLSearchParams,
): string {
  const { next, previous } = neighbours(count, number);
  const url = pageUrls(collection, query);
  const link = (page: number | null) => (page === null ? null : JSON.stringify(url(page)));
  return `{"count":${count},"next":${link(next)},"previous":${link(previous)},"results":${results}}`;
}
