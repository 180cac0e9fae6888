import type { PageNumber } from "../records/page.ts";

/** The path of the collection (specification, "List records"). */
export const COLLECTION_PATH = "/api/tf1/records/";

/** Redirects to the path with the slash. */
export const PATH_WITHOUT_SLASH = COLLECTION_PATH.slice(0, -1);

export const COLLECTION_PATHS = [COLLECTION_PATH, PATH_WITHOUT_SLASH];

/** The query parameter with the date of a jump, for the HTML view, which marks this day. Links omit it. */
export const JUMP_DATE_PARAMETER = "jump-date";

/**
 * Returns a function that builds the absolute URL of a page (specification, "Page envelope", rules 1 and 2). The URL has the
 * parameters of the request, sorted by name, without the date of a jump. Its `format` is `api` unless the request has `json`.
 * @param collectionUrl The absolute URL of the collection, without query
 */
export function createPageUrlBuilder(
  collectionUrl: string,
  query: URLSearchParams,
): (page: PageNumber) => string {
  const format = query.getAll("format").at(-1) === "json" ? "json" : "api";
  // In workerd, a copy of the text takes 5 µs, and a copy of the object 60 µs.
  const parameters = new URLSearchParams(query.toString());
  parameters.delete(JUMP_DATE_PARAMETER);
  parameters.set("format", format);
  parameters.set("page", "");
  parameters.sort();
  // The number is inserted into the text, so that a link needs no call into the runtime.
  const [before, after] = parameters.toString().split(/(?<=^|&)page=(?=&|$)/);
  return (page) => `${collectionUrl}?${before}page=${page}${after}`;
}
