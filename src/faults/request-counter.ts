import { hashString } from "../hash.ts";
import { getClientKey } from "../http/client-key.ts";
import { COLLECTION_PATH } from "../http/links.ts";
import type { PageRequest } from "../http/page-request.ts";
import { getLastValue } from "../http/request.ts";
import { createLru } from "../lru.ts";
import type { TimeUnit } from "./option-syntax.ts";
import { getWindow } from "./rate-window.ts";
import { formatRules, type Rule } from "./rules.ts";

const MAX_COUNTED_KEYS = 10_000;

/** Creates the counters of `times` and `rate`. */
export function createRequestCounters() {
  const equalRequests = createCounter();
  const clientRequests = createCounter();
  return {
    /**
     * Returns how the rules of a request count it.
     * @param now Milliseconds since 1970-01-01 UTC
     */
    forRequest(request: PageRequest, rules: Rule[], now: number) {
      let key: string | undefined;
      return {
        /** Counts the request for a rule, by its index. Returns the number of equal requests so far, including this one. */
        countEqual(rule: number): number {
          key ??= getRequestKey(request, formatRules(rules));
          return equalRequests.count(key, rule);
        },
        /** Counts the request. Returns the number of requests of its client in this second, minute or hour, including this one. */
        countOfClient(unit: TimeUnit): number {
          const { start } = getWindow(unit, now);
          return clientRequests.count(`${getClientKey(request.c)} ${unit} ${start}`);
        },
      };
    },
    reset() {
      equalRequests.reset();
      clientRequests.reset();
    },
  };
}

export type RequestCounters = ReturnType<typeof createRequestCounters>;

/**
 * Creates a counter with a bounded number of keys. The least recently used one is forgotten first. The rules of a key are counted
 * separately, but in one entry, so that they are forgotten together.
 */
export function createCounter() {
  // A key can be as long as a URL, so its hash is stored.
  const counts = createLru<number, number[]>(MAX_COUNTED_KEYS);
  return {
    count(key: string, rule = 0): number {
      const hash = hashString(key);
      const ofRules = counts.get(hash) ?? [];
      const count = (ofRules[rule] ?? 0) + 1;
      ofRules[rule] = count;
      counts.set(hash, ofRules);
      return count;
    },
    reset: counts.clear,
  };
}

/** Parameters that the page key already contains, or that do not make a request different. */
const IGNORED_PARAMETERS = ["page", "format", "prefer"];

type KeyParts = Pick<PageRequest, "method" | "query" | "number">;

/** Gets a key of the page, the other parameters and the fault rules of a request. The order of the parameters does not matter. */
export function getRequestKey(request: KeyParts, rules: string): string {
  const { query } = request;
  const others = new URLSearchParams(query.toString());
  for (const name of IGNORED_PARAMETERS) others.delete(name);
  others.sort();
  return [getPageKey(request), others, rules].join(" ");
}

/** Gets a key of the method and the page of a request, for every spelling of the page number. HEAD has the key of GET. */
export function getPageKey({ method, query, number }: KeyParts): string {
  return `${method === "HEAD" ? "GET" : method} ${COLLECTION_PATH}?page=${number ?? getLastValue(query, "page")}`;
}
