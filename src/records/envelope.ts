import { neighbours } from "./page.ts";

/** The path of the collection (specification, "List records"). */
export const COLLECTION_PATH = "/api/tf1/records/";

/** The parts of an envelope. */
interface EnvelopeParts {
  /** Records in the collection. */
  count: number;
  /** Of the page. */
  number: number;
  /** The records of the page, a JSON array. */
  results: string;
}

/**
 * Writes the page envelope (specification, "Page envelope") around records that are already JSON.
 * @param url returns the absolute URL of a page
 */
export function writeEnvelope(
  { count, number, results }: EnvelopeParts,
  url: (page: number) => string,
): string {
  const { next, previous } = neighbours(count, number);
  const link = (page: number | null) => (page === null ? null : JSON.stringify(url(page)));
  return `{"count":${count},"next":${link(next)},"previous":${link(previous)},"results":${results}}`;
}
