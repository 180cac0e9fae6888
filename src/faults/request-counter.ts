import { hashString } from "../hash.ts";
import { getLastValue } from "../http/request.ts";
import { createLru } from "../lru.ts";
import { COLLECTION_PATH, JUMP_DATE_PARAMETER } from "../records/links.ts";
import { parsePageNumber } from "../records/page.ts";

/** The maximum number of counts. */
const MAX_COUNTED_REQUESTS = 10_000;

/** Creates a counter of equal requests. */
export function createRequestCounter() {
  // A key can be as long as a URL, so its hash is stored.
  const counts = createLru<number, number>(MAX_COUNTED_REQUESTS);
  return {
    /** Counts a request. Returns the number of requests with its key, including this one. */
    count(key: string): number {
      const hash = hashString(key);
      const count = (counts.get(hash) ?? 0) + 1;
      counts.set(hash, count);
      return count;
    },
    reset: counts.clear,
  };
}

/** Parameters that the page key already contains, or that do not make a request different. */
const IGNORED_PARAMETERS = ["page", "format", "prefer", JUMP_DATE_PARAMETER];

/** Gets a key of the page, the other parameters and the fault options of a request. The order of the parameters does not matter. */
export function getRequestKey(method: string, query: URLSearchParams, options: string[]): string {
  const others = new URLSearchParams(query.toString());
  for (const name of IGNORED_PARAMETERS) others.delete(name);
  others.sort();
  return [getPageKey(method, query), others, ...options].join(" ");
}

/** Gets a key of the method and the page of a request, for every spelling of the page number. HEAD has the key of GET. */
export function getPageKey(method: string, query: URLSearchParams): string {
  const page = getLastValue(query, "page");
  return `${method === "HEAD" ? "GET" : method} ${COLLECTION_PATH}?page=${parsePageNumber(page) ?? page}`;
}
