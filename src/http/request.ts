import type { AppContext } from "../bindings.ts";
import { type PageNumber, parsePageNumber } from "../records/page.ts";

/** A request for a page of the collection. */
export interface PageRequest {
  c: AppContext;
  method: string;
  url: URL;
  query: URLSearchParams;
  /** 1 if the parameter is absent or empty. Undefined if it is invalid, such as 0 or x. */
  page: PageNumber | undefined;
  ifNoneMatch: string | undefined;
}

export function parsePageRequest(c: AppContext): PageRequest {
  const url = new URL(c.req.url);
  const query = url.searchParams;
  const page = parsePageNumber(getLastValue(query, "page"));
  const ifNoneMatch = getHeader(c.req.raw.headers, "If-None-Match");
  return { c, method: c.req.method, url, query, page, ifNoneMatch };
}

/** The maximum length of a header that is parsed, as of a URL. */
export const MAX_HEADER_LENGTH = 8_192;

/** Returns a header of a request. An empty one counts as absent, and so does a long one, because parsing it could take longer than serving a page. */
export function getHeader(headers: Pick<Headers, "get">, name: string): string | undefined {
  const value = headers.get(name) ?? "";
  return value === "" || value.length > MAX_HEADER_LENGTH ? undefined : value;
}

/** Returns the last value of a query parameter, or null if the parameter is absent. */
export function getLastValue(query: URLSearchParams, name: string): string | null {
  return query.getAll(name).at(-1) ?? null;
}
