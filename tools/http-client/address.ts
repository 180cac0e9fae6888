import { InvalidArgumentError } from "commander";
import { COLLECTION_PATH } from "../../src/records/envelope.ts";
import { pageUrls } from "../../src/records/page.ts";

/** A collection somewhere: its absolute URL without query, and the query that each of its pages is asked with. */
export interface Collection {
  url: string;
  query: URLSearchParams;
}

/**
 * Takes the base address of a service, the address of its collection (behind any prefix) or of one of its pages, for
 * commander. Of a page's address the page number is left out; other parameters are kept.
 * @throws InvalidArgumentError if it is none of these
 */
export function parseCollection(text: string): Collection {
  if (!URL.canParse(text)) throw new InvalidArgumentError("It must be a URL, https://counts.example say.");
  const { protocol, origin, pathname, searchParams: query, username, password } = new URL(text);
  if (!["http:", "https:"].includes(protocol)) throw new InvalidArgumentError("It must be http or https.");
  if (username || password) throw new InvalidArgumentError("It must not contain a user name or a password.");
  const path = pathname === "/" ? COLLECTION_PATH : pathname.replace(/\/?$/, "/");
  if (!path.endsWith(COLLECTION_PATH)) {
    throw new InvalidArgumentError(
      `It must be a base address without path, or end in ${COLLECTION_PATH} before the query.`,
    );
  }
  query.delete("page");
  return { url: origin + path, query };
}

/** The address of a page, 1 or more. */
export function addressPage({ url, query }: Collection, page: number): string {
  return pageUrls(url, query)(page);
}

/** What tells this collection from another, for the progress file. */
export function nameCollection({ url, query }: Collection): string {
  return query.size === 0 ? url : `${url}?${query}`;
}
