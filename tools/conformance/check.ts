import { setTimeout as wait } from "node:timers/promises";
import { lastPage } from "../../src/records/page.ts";
import { openPages } from "./collection-pages.ts";
import { sendExtraRequests } from "./extra-requests.ts";
import { HTTP_RULES, WRITE_RULE } from "./http-rules.ts";
import { createObservations } from "./observations.ts";
import { COUNT_RULES, LINK_RULES, PAGE_RULES } from "./page-rules.ts";
import { createWalk, walkPages } from "./page-walk.ts";
import { createHistoryRules, FIELD_RULES, ID_RULE } from "./record-rules.ts";
import { type ClientOptions, createRetryingClient } from "./retrying-client.ts";
import { createJudge, type Rule } from "./rule.ts";

/**
 * Creates the rules of the specification, from the outside in. If a defect breaks several rules, the first of them is
 * its cause: without its last page, a collection also has too few records.
 */
export function createRules(): Rule[] {
  const pages = [...HTTP_RULES, ...PAGE_RULES, ID_RULE, ...COUNT_RULES, ...LINK_RULES];
  return [...pages, ...FIELD_RULES, ...createHistoryRules(), WRITE_RULE];
}

export interface CheckOptions extends ClientOptions {
  /** If set, only the pages up to this number, the middle page and the last page are read. */
  pages?: number;
  /** How many requests may run at the same time. */
  concurrency?: number;
  /** Send no request that would write. */
  readOnly?: boolean;
  /** What links begin with before the path of the collection; by default, the URL that is checked. */
  baseUrl?: string;
  /** Called after each page, with the number of pages to read. */
  onPage?: (done: number, total: number) => void;
}

/** The report, which is also printed as JSON, so the names of its properties are public. */
export type CheckReport = Awaited<ReturnType<typeof checkConformance>>;

/**
 * Checks a collection against the rules of the specification. If an error or the signal ends the check early, the report
 * covers what was seen until then.
 * @param url the absolute URL of the collection, without query
 * @throws Error if nothing could be checked
 */
export async function checkConformance(url: string, options: CheckOptions = {}) {
  const { pages: pageLimit, concurrency = 1, baseUrl, signal, backoff = 1_000 } = options;
  const client = createRetryingClient(options);
  const pages = await openPages(client, url, concurrency, baseUrl);
  const walk = createWalk(pages, pageLimit, (rereads) => wait(rereads * backoff, undefined, { signal }));
  const { judge, list: listResults } = createJudge(createRules());
  const observations = createObservations();
  try {
    for await (const page of walkPages(walk)) {
      judge("page", page, page.url);
      for (const record of page.records) judge("record", record, `${page.url} record ${record.number}`);
      observations.addPage(page);
      options.onPage?.(walk.pagesRead, Math.min(lastPage(walk.seen.count ?? 0), (pageLimit ?? Infinity) + 2));
    }
    const { total, seen } = walk;
    if (total !== undefined && seen.count !== undefined) judge("total", { total, count: seen.count }, url);
    for await (const response of sendExtraRequests(client, walk, options.readOnly === true)) {
      judge("response", response, `${response.url} ${response.method}`);
      // Every rule about pages applies to the response without page number, too.
      if (response.page) judge("page", response.page, response.url);
      observations.addResponse(response);
    }
  } catch (error) {
    walk.stopped = `The check ended early: ${(signal?.aborted ? signal.reason : error).message}`;
  }
  const { seen, pagesRead, recordsRead, growths, rereads, stopped } = walk;
  return {
    url,
    count: seen.count ?? null,
    pages: pagesRead,
    records: recordsRead,
    growths,
    rereads,
    retries: client.state.retries,
    stopped,
    rules: listResults(),
    /** What the service does where the specification leaves it open, by name. */
    open: observations.list(walk.afterLast),
  };
}
