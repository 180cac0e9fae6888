import { lastPage } from "../../src/records/page.ts";
import { openProgress } from "../command-line/progress.ts";
import { createHttpClient, type HttpClient, type HttpClientOptions } from "../http-client/client.ts";
import type { CollectionUrl } from "../http-client/collection-url.ts";
import type { RetryPolicy } from "../http-client/retry.ts";
import { findCollection, isPage, type PageFormat, type PageResponse } from "./collection-reader.ts";
import { createCollectionState } from "./collection-state.ts";
import { sendExtraRequests } from "./extra-requests.ts";
import { createResults, type Rule, type RuleResult } from "./rule.ts";
import { LIST_RECORDS_RULES } from "./rules/list-records-rules.ts";
import { OTHER_RULES } from "./rules/other-rules.ts";
import { PAGE_ENVELOPE_RULES } from "./rules/page-envelope-rules.ts";
import { RECORD_RULES } from "./rules/record-rules.ts";
import { createReferenceRules } from "./rules/reference-rules.ts";
import { createSeenIds, createSeenRecords } from "./seen-records.ts";
import { walkPages } from "./walk.ts";
import { createPageMemory, createWalkResult, type Walk, type WalkResult } from "./walked-page.ts";

/**
 * The rules of the specification, in its order. What the specification says twice is one rule, at the more exact place;
 * `also` names the other place. "Service 1" to "Service 4" are the sentences of "What the service does".
 */
const SPECIFICATION_RULES: Rule[] = [
  ...RECORD_RULES,
  ...PAGE_ENVELOPE_RULES,
  ...LIST_RECORDS_RULES,
  ...OTHER_RULES,
];

/** All rules, with what the specification leaves open as observations. */
export const RULES: Rule[] = [...SPECIFICATION_RULES, ...createReferenceRules(false)];

export interface CheckOptions extends HttpClientOptions {
  /** If set, only the pages up to this number, the middle page and the last page are read. */
  pages?: number | undefined;
  /** Send no request that would write. */
  readOnly: boolean;
  /** Judge what the specification leaves open against the reference. */
  reference?: boolean | undefined;
  /** Which format the pages are requested in, `api` by default. */
  format?: PageFormat | undefined;
}

export interface ConformanceReport extends WalkResult {
  /** The URL of the collection, after redirects. */
  url: string;
  /** Records in the collection, according to its pages. */
  count: number | undefined;
  retries: number;
  rules: RuleResult[];
}

/**
 * Walks a collection and checks it against the rules of the specification. If the signal or an error ends the walk
 * early, the report covers what was seen until then.
 * @throws Error if nothing could be checked
 */
export async function checkConformance(
  collection: CollectionUrl,
  options: CheckOptions,
): Promise<ConformanceReport> {
  const retryPolicy = { ...options.retryPolicy };
  const http = createHttpClient({ ...options, retryPolicy, failFast: true });
  const { client, statuses } = countErrors(limitRetries(http, retryPolicy));
  const results = createResults(
    options.reference ? [...SPECIFICATION_RULES, ...createReferenceRules(true)] : RULES,
  );
  const { emit } = results;
  const { reader, first } = await findCollection(collection, client, {
    concurrency: options.concurrency,
    format: options.format ?? "api",
  });
  const seenIds = createSeenIds();
  const state = createCollectionState(seenIds);
  const result = createWalkResult();
  const progress = openProgress("reading", countPages(first.count, options.pages), { unit: "pages" });
  const walk: Walk = {
    reader,
    state,
    seenRecords: createSeenRecords(seenIds),
    emit,
    findSamePage: createPageMemory(),
    pause: () => options.clock.wait(options.retryPolicy.backoff, options.signal),
    onPage: () => progress.update(result.pages, countPages(state.count, options.pages)),
    pageLimit: options.pages,
    result,
  };
  try {
    await walkPages(walk, first).finally(() => emit("errors", { url: reader.url, statuses }));
    await sendExtraRequests({ client, walk, readOnly: options.readOnly });
    if (isHtml(first) && reader.format === "api") result.stopped = HTML_HINT;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { aborted, reason } = options.signal;
    result.stopped = `The check ended early: ${aborted ? reason.message : error.message}`;
  } finally {
    progress.close();
  }
  emit("requests", { url: reader.url, throttled: statuses.get(THROTTLED) ?? 0 });
  const { retries } = client.counters;
  return { url: reader.url, count: state.count, retries, ...result, rules: results.list() };
}

const HTML_HINT =
  "The pages are HTML, not JSON. To check their content, use --format json, which requests format=json.";

function isHtml(page: PageResponse): boolean {
  return !isPage(page) && /\bhtml\b/i.test(page.headers.get("Content-Type") ?? "");
}

const THROTTLED = 429;

/** After so many requests that failed in every attempt, the others are sent once. */
const MAX_FAILED_REQUESTS = 3;

/** Bounds the time that a service takes which always fails. */
function limitRetries(client: HttpClient, policy: RetryPolicy): HttpClient {
  let failed = 0;
  const send: HttpClient["send"] = (request, read) =>
    client.send(request, read).catch((error) => {
      failed += 1;
      if (failed >= MAX_FAILED_REQUESTS) policy.attempts = 1;
      throw error;
    });
  return { ...client, send };
}

/** Counts the responses with status 429 or 5xx, by status. */
function countErrors(client: HttpClient): { client: HttpClient; statuses: Map<number, number> } {
  const statuses = new Map<number, number>();
  const send: HttpClient["send"] = (request, read) =>
    client.send(request, (response) => {
      const { status } = response;
      if (status === THROTTLED || status >= 500) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return read(response);
    });
  return { client: { ...client, send }, statuses };
}

/** How many pages the walk reads. */
function countPages(count: number | undefined, pageLimit: number | undefined): number | undefined {
  if (count === undefined) return undefined;
  const last = lastPage(count);
  return pageLimit === undefined ? last : Math.min(last, pageLimit + 2);
}
