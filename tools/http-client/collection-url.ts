import { InvalidArgumentError } from "commander";
import { COLLECTION_PATH, pageUrls } from "../../src/records/page.ts";

/** The absolute URL of a collection, without query, and the query parameters of every page request. */
export interface CollectionUrl {
  url: string;
  query: URLSearchParams;
}

/**
 * Parses the base URL of a service, the URL of its collection (under any path prefix), or the URL of one of its pages,
 * for commander. The page number is removed; other query parameters are kept.
 * @throws InvalidArgumentError if it is none of these
 */
export function parseCollectionUrl(text: string): CollectionUrl {
  if (!URL.canParse(text)) {
    throw new InvalidArgumentError("It must be a URL, for example https://counts.example.");
  }
  const { protocol, origin, pathname, searchParams: query, username, password } = new URL(text);
  if (!["http:", "https:"].includes(protocol)) {
    throw new InvalidArgumentError("It must start with http:// or https://.");
  }
  if (username || password) throw new InvalidArgumentError("It must not contain a user name or a password.");
  const path = pathname === "/" ? COLLECTION_PATH : pathname.replace(/\/?$/, "/");
  if (!path.endsWith(COLLECTION_PATH)) {
    throw new InvalidArgumentError(`Its path must be empty or end with ${COLLECTION_PATH}.`);
  }
  query.delete("page");
  return { url: origin + path, query };
}

/**
 * The URL of one page.
 * @param page from 1
 */
export function pageUrl({ url, query }: CollectionUrl, page: number): string {
  return pageUrls(url, query)(page);
}

export function formatCollectionUrl({ url, query }: CollectionUrl): string {
  return query.size === 0 ? url : `${url}?${query}`;
}
