import type { AppContext } from "../bindings.ts";
import { type PageNumber, parsePageNumber } from "../records/page.ts";
import { getLastValue } from "./request.ts";

export interface PageRequest {
  c: AppContext;
  method: string;
  url: URL;
  query: URLSearchParams;
  /** The requested page; undefined if no collection can have it. */
  number: PageNumber | undefined;
}

export function parsePageRequest(c: AppContext): PageRequest {
  const url = new URL(c.req.url);
  const query = url.searchParams;
  return { c, method: c.req.method, url, query, number: parsePageNumber(getLastValue(query, "page")) };
}
