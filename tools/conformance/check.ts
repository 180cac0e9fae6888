import { setTimeout } from "node:timers/promises";
import { PAGE_SIZE } from "../../src/records/page.ts";
import { type Client, createClient } from "../command-line/client.ts";
import { describeError } from "../messages.ts";
import {
  type CollectionPage,
  checkContents,
  checkHeaders,
  checkPage,
  isSamePage,
  parsePage,
} from "./check-page.ts";
import { compareRecord, createComparison } from "./compare-records.ts";
import { createTable, hasDeviations, listRules, type Rule, show, type Table } from "./rules.ts";

export interface CheckOptions {
  /** Read only the pages up to this number, the middle page and the last page. The default is `MAX_PAGES`. */
  pages?: number;
  /** Whether to send POST, PUT, PATCH and DELETE, which could change a service that does not reject them. */
  writeMethods?: boolean;
  onPage?: (done: number, total: number) => void;
  /** The length of a second, shorter in tests. */
  secondMs?: number;
}

/** How many pages are read by default. The `count` of a foreign service can promise any number. */
export const MAX_PAGES = 100_000;

/** The names of its members are public, because `--json` prints it. */
export type CheckReport = Awaited<ReturnType<typeof checkConformance>>;

/** Thrown if the collection has changed since page 1 was read. */
class ChangedError extends Error {}

/**
 * Checks a collection against the rules of the specification. After an error, the report covers the responses until then.
 * @param url The absolute URL of the collection, without query
 * @throws Error if page 1 cannot be read
 */
export async function checkConformance(
  url: string,
  { secondMs = 1_000, writeMethods = false, ...options }: CheckOptions = {},
) {
  const table = createTable();
  const send = createClient(secondMs, (request, response) => checkHeaders(table, url, request, response));
  // The servers of a deployment can serve different snapshots for nine seconds after a load.
  const pauseMs = 10 * secondMs;
  const start = () => startWalk({ url, table, send, pauseMs });
  let walk: Walk = await start();
  const { status } = walk.first;
  if (status >= 400 && status < 500) throw new Error(`${url} returned ${status}. Is it the collection?`);
  let stopped: string | null = null;
  try {
    await checkOptions(url, table, send);
    if (writeMethods) await checkWriteMethods(url, table, send);
    await walkPages(walk, options).catch(async (error) => {
      if (!(error instanceof ChangedError)) throw error;
      await setTimeout(pauseMs);
      walk = await start();
      await walkPages(walk, options);
    });
  } catch (error) {
    stopped = describeError(error);
  }
  const { first, pages, comparison } = walk;
  // What looks wrong between the pages of an incomplete walk may be a change of the collection.
  const rules = listRules(stopped === null ? [table, comparison.table] : [table]);
  const { records } = comparison;
  return { url, count: first.count ?? null, pages, records, writeMethods, stopped, rules };
}

async function checkOptions(url: string, table: Table, send: Client): Promise<void> {
  const { status, headers } = await send(url, { method: "OPTIONS" });
  const hasAllow = headers.has("Allow");
  table.at(`OPTIONS ${url}`)("Options", hasAllow && status < 300, hasAllow ? String(status) : "no Allow");
}

/** Sends the methods one after another, each once and without a body. */
async function checkWriteMethods(url: string, table: Table, send: Client): Promise<void> {
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const answer = await send(url, { method }).catch(() => undefined);
    // After no response, 429 or 5xx, it is unknown whether the method is rejected.
    if (answer === undefined || (answer.status >= 500 && answer.status !== 501)) continue;
    table.at(`${method} ${url}`)("Record 5", answer.status >= 400, String(answer.status));
  }
}

type Walk = Awaited<ReturnType<typeof startWalk>>;

/** @param options.table For rules about single responses. The comparison has its own table */
async function startWalk(options: { url: string; table: Table; send: Client; pauseMs: number }) {
  const { url, send } = options;
  const read = async (number: number, query = `?format=api&page=${number}`) =>
    parsePage(number, url + query, await send(url + query));
  const first = await read(1);
  return {
    ...options,
    comparison: createComparison(),
    read,
    first,
    // An empty page says nothing about the size of others.
    pageSize: first.results?.length || PAGE_SIZE,
    pages: 0,
  };
}

/** Checks the pages from page 1 to the last, and requests that are compared with them. @throws ChangedError */
async function walkPages(walk: Walk, { pages: limit = MAX_PAGES, onPage }: CheckOptions) {
  const { comparison, read, first, pageSize } = walk;
  const lastPage = Math.max(1, Math.ceil((first.count ?? 0) / pageSize));
  for (const number of listPages(lastPage, limit)) {
    const page = number === 1 ? first : await read(number);
    await addPage(walk, page);
    onPage?.(walk.pages, Math.min(lastPage, limit + 2));
    if (page.status === 404 || page.results?.length === 0) break;
  }
  if (first.envelope === undefined) return;
  // Page 0 is open, but it has no records of its own. The page after the last shows whether `count` is too small.
  await checkKnownRecords(walk, "List records.page", 0);
  if (first.count !== undefined) await checkKnownRecords(walk, "Page envelope.count", lastPage + 1);
  for (const query of [WITHOUT_PAGE, "", "?page=1", "?format=json&page=1"]) await checkQuery(walk, query);
  await checkPathWithoutSlash(walk);
  await checkETag(walk);
  if (hasDeviations(comparison.table)) await requireUnchanged(walk);
}

/** Tells a wrong page from a changed collection. @throws ChangedError */
async function requireUnchanged({ pauseMs, read, first }: Walk): Promise<void> {
  await setTimeout(pauseMs);
  // Two reads, because two servers with different collections can take turns.
  for (const again of [await read(1), await read(1)])
    if (!isSamePage(first, again)) throw new ChangedError("page 1 has changed during the check");
}

function* listPages(lastPage: number, limit: number): Generator<number> {
  for (let number = 1; number <= Math.min(limit, lastPage); number++) yield number;
  yield* new Set([Math.ceil(lastPage / 2), lastPage].filter((number) => number > limit));
}

async function addPage(walk: Walk, page: CollectionPage): Promise<void> {
  await checkResponse(walk, page);
  const { comparison } = walk;
  const check = comparison.table.at(page.url);
  if (page.status === 404)
    return check("Page envelope.count", false, `404, and count is ${walk.first.count}`);
  checkPage(walk.table, walk.url, page, walk.pageSize);
  for (const [index, record] of (page.results ?? []).entries())
    compareRecord(comparison, record, `${page.url} record ${index + 1}`);
  walk.pages += 1;
}

/** Checks what is true of the response to any request for a page. @throws ChangedError if another count shows a changed collection */
async function checkResponse(walk: Walk, page: CollectionPage): Promise<void> {
  const { table, comparison, first } = walk;
  const { url, count } = page;
  checkContents(table, page);
  if (count === undefined || first.count === undefined) return;
  const isSame = count === first.count;
  const { failed = 0 } = comparison.table.results.get("List records 5") ?? {};
  comparison.table.at(url)("List records 5", isSame, String(count), `${first.count}, as on page 1`);
  // Once page 1 was the same again, the service itself has several counts.
  if (!isSame && failed === 0) await requireUnchanged(walk);
}

/** Checks that a page has no records but those of the pages that were read before. */
async function checkKnownRecords(walk: Walk, rule: Rule, number: number): Promise<void> {
  const { comparison, read } = walk;
  const page = await read(number);
  await checkResponse(walk, page);
  const isKnown = page.results?.every(({ id }) => typeof id !== "number" || comparison.ids.has(id)) ?? true;
  comparison.table.at(page.url)(rule, isKnown, "other records");
}

const WITHOUT_PAGE = "?format=api";

/** Without `page`, the response is page 1. Without `format`, or with `json`, it is page 1 or an error. */
async function checkQuery(walk: Walk, query: string): Promise<void> {
  const page = await walk.read(1, query);
  await checkResponse(walk, page);
  const check = walk.comparison.table.at(page.url);
  const isSame = isSamePage(walk.first, page);
  const received = page.status === 200 ? "other records" : String(page.status);
  if (query !== WITHOUT_PAGE) return check("List records.format", isSame || page.status >= 400, received);
  check("List records.page", isSame, received);
  if (isSame) checkPage(walk.table, walk.url, page, walk.pageSize);
}

/** If the path without its slash redirects, then to page 1. */
async function checkPathWithoutSlash({ table, send, first }: Walk): Promise<void> {
  const bare = first.url.replace("/?", "?");
  const { status, headers } = await send(bare);
  const location = headers.get("Location");
  const isRedirect = [301, 302, 303, 307, 308].includes(status);
  const isSame = URL.parse(location ?? "", bare)?.href === first.url;
  table.at(bare)("List records.Path", !isRedirect || isSame, show(location));
}

/** If page 1 has an ETag, a request with it gets 304 or a page with another ETag. */
async function checkETag({ table, send, first }: Walk): Promise<void> {
  const etag = first.headers.get("ETag");
  if (etag === null) return;
  const { status, headers } = await send(first.url, { headers: { "If-None-Match": etag } });
  const next = headers.get("ETag");
  // Weakly compared (RFC 9110, 13.1.2).
  const isOther = next !== null && next.replace("W/", "") !== etag.replace("W/", "");
  const isRevalidated = status === 304 || (status === 200 && isOther);
  table.at(`${first.url} If-None-Match: ${etag}`)("RFC 9110.If-None-Match", isRevalidated, String(status));
}
