import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { PAGE_SIZE } from "../../src/records/page.ts";
import { type Client, createClient } from "../command-line/client.ts";
import { getMessage } from "../messages.ts";
import { type CollectionPage, checkAllow, checkPage, type Fields, parsePage } from "./check-page.ts";
import { createTable, listRules, type Rule, show, type Table } from "./rules.ts";

export interface CheckOptions {
  /** Read only the pages up to this number, the middle page and the last page. */
  pages?: number;
  onPage?: (done: number, total: number) => void;
  /** The length of a second, shorter in tests. */
  secondMs?: number;
}

/** The report. The names of its members are public, because `--json` prints it. */
export type CheckReport = Awaited<ReturnType<typeof checkConformance>>;

/** Thrown if the collection has changed since page 1 was read. */
class ChangedError extends Error {}

/**
 * Checks a collection against the rules of the specification. After an error, the report covers the responses until then.
 * @param url The absolute URL of the collection, without query
 * @throws Error if page 1 cannot be read
 */
export async function checkConformance(url: string, { secondMs = 1_000, ...options }: CheckOptions = {}) {
  const table = createTable();
  const send = createClient(secondMs);
  // The servers of a deployment can serve different snapshots for nine seconds after a load.
  const pause = () => setTimeout(10 * secondMs);
  let walk: Walk = await startWalk(url, table, send);
  const { status } = walk.first;
  if (status >= 400 && status < 500) throw new Error(`${url} returned ${status}. Is it the collection?`);
  let stopped: string | null = null;
  try {
    await checkMethods(url, table, send);
    await walkPages(walk, options, pause).catch(async (error) => {
      if (!(error instanceof ChangedError)) throw error;
      await pause();
      walk = await startWalk(url, table, send);
      await walkPages(walk, options, pause);
    });
  } catch (error) {
    stopped = getMessage(error);
  }
  const { first, pages, ids, comparisons } = walk;
  // What looks wrong between the pages of an incomplete walk may be a change of the collection.
  const rules = listRules(stopped === null ? [table, comparisons] : [table]);
  return { url, count: first.count ?? null, pages, records: ids.size, stopped, rules };
}

async function checkMethods(url: string, table: Table, send: Client): Promise<void> {
  const { status, headers } = await send(url, { method: "OPTIONS" });
  const hasAllow = headers.has("Allow");
  table.at(`OPTIONS ${url}`)("Options", hasAllow && status < 300, hasAllow ? String(status) : "no Allow");
  if (hasAllow) checkAllow(table, `OPTIONS ${url}`, headers);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    // Sent once, without a body. After no response, 429 or 5xx, it is unknown whether the method is rejected.
    const answer = await send(url, { method }).catch(() => undefined);
    if (answer === undefined || (answer.status >= 500 && answer.status !== 501)) continue;
    checkAllow(table, `${method} ${url}`, answer.headers, "GET, OPTIONS");
    table.at(`${method} ${url}`)("Record 5", answer.status >= 400, String(answer.status));
  }
}

type Walk = Awaited<ReturnType<typeof startWalk>> & {
  oldest?: string;
  /** The timestamp of the newest record whose camera_ok is null. */
  newestNull?: string;
};

/** Reads page 1. */
async function startWalk(url: string, table: Table, send: Client) {
  const read = async (number: number, query = `?format=api&page=${number}`) =>
    parsePage(number, url + query, await send(url + query));
  const first = await read(1);
  return {
    url,
    table,
    /** For the rules that compare pages; `table` is for single pages. */
    comparisons: createTable(),
    send,
    read,
    first,
    // An empty page says nothing about the size of others.
    pageSize: first.results?.length || PAGE_SIZE,
    pages: 0,
    ids: new Set<unknown>(),
    /** The latest record of each camera. */
    cameras: new Map<unknown, Fields>(),
  };
}

/** Checks the pages from page 1 to the last, and requests that are compared with them. @throws ChangedError */
async function walkPages(walk: Walk, { pages: limit, onPage }: CheckOptions, pause: () => Promise<unknown>) {
  const { comparisons, read, first, pageSize } = walk;
  const last = Math.max(1, Math.ceil((first.count ?? 0) / pageSize));
  for (const number of listPages(last, limit)) {
    const page = number === 1 ? first : await read(number);
    addPage(walk, page);
    onPage?.(walk.pages, Math.min(last, (limit ?? last) + 2));
    if (page.status === 404 || page.results?.length === 0) break;
  }
  if (first.envelope === undefined) return;
  await checkOtherPages(walk, last);
  await checkRedirectAndETag(walk);
  if (comparisons.deviations.length === 0) return;
  await pause();
  if (!isSamePage(first, await read(1))) throw new ChangedError("page 1 has changed during the check");
}

/** Lists all pages, or the first ones, the middle one and the last one. */
function* listPages(last: number, limit = last): Generator<number> {
  for (let number = 1; number <= Math.min(limit, last); number++) yield number;
  yield* new Set([Math.ceil(last / 2), last].filter((number) => number > limit));
}

function addPage(walk: Walk, page: CollectionPage) {
  requireSameCount(walk, page);
  const check = walk.comparisons.at(page.url);
  if (page.status === 404)
    return check("Page envelope.count", false, `404, and count is ${walk.first.count}`);
  checkPage(walk.table, walk.url, page, walk.pageSize);
  for (const [index, record] of page.results?.entries() ?? [])
    compareRecord(walk, record, `${page.url} record ${index + 1}`);
  walk.pages += 1;
}

function requireSameCount({ comparisons, first }: Walk, { url, number, count }: CollectionPage): void {
  const isSame = count === first.count || count === undefined || first.count === undefined;
  if (count !== undefined) comparisons.at(url)("List records 5", isSame, String(count));
  if (!isSame) throw new ChangedError(`count was ${first.count} on page 1, and ${count} on page ${number}`);
}

/** Compares a record with the previous records. */
function compareRecord(walk: Walk, record: Fields, asked: string): void {
  const { comparisons, ids, cameras } = walk;
  const { id, camera_pk, timestamp, camera_ref, camera_ok } = record;
  const check = comparisons.at(asked);
  check("Record.id", !ids.has(id), show(id));
  if (ids.has(id)) return;
  ids.add(id ?? Symbol("no id"));
  const known = cameras.get(camera_pk) ?? { camera_ref };
  check("Record 4", known.camera_ref === camera_ref, `${show(known.camera_ref)} and ${show(camera_ref)}`);
  check("Record 2", known.timestamp !== timestamp, `${show(timestamp)} again for camera ${show(camera_pk)}`);
  if (camera_pk !== undefined) cameras.set(camera_pk, record);
  if (typeof timestamp !== "string" || timestamp.length !== 20) return;
  const { oldest = timestamp, newestNull = timestamp } = walk;
  check("List records 2", timestamp <= oldest, `${timestamp} after ${oldest}`);
  walk.oldest = timestamp;
  if (camera_ok === null) walk.newestNull ??= timestamp;
  // Records of the same second can have any order, even if only some have a null camera_ok.
  else check("List records 4", timestamp >= newestNull, `null already at ${newestNull}`);
}

/** Requests page 0, the page after the last, and page 1 without a parameter and as JSON. */
async function checkOtherPages(walk: Walk, last: number): Promise<void> {
  const { comparisons, table, first } = walk;
  const requests: [rule: Rule, number: number, query?: string][] = [
    ["List records.page", 0],
    ["List records.page", 1, "?format=api"],
    ["List records.format", 1, "?page=1"],
    ["List records.format", 1, "?format=json&page=1"],
  ];
  if (first.count !== undefined) requests.push(["Page envelope.count", last + 1]);
  for (const [rule, number, query] of requests) {
    const page = await walk.read(number, query);
    requireSameCount(walk, page);
    const hasKnownRecords = page.results?.every(({ id }) => id === undefined || walk.ids.has(id)) ?? true;
    const isSame = page.status === 200 && isSamePage(first, page);
    const isError = page.status >= 400 && rule === "List records.format";
    const isRight = number === 1 ? isSame || isError : hasKnownRecords;
    comparisons.at(page.url)(rule, isRight, page.status === 200 ? "other records" : String(page.status));
    if (query === "?format=api" && isSame) checkPage(table, walk.url, page, walk.pageSize);
  }
}

/** Requests page 1 without the slash of the path, and with its ETag. */
async function checkRedirectAndETag({ table, send, first }: Walk): Promise<void> {
  const bare = first.url.replace("/?", "?");
  const location = (await send(bare)).headers.get("Location");
  const target = URL.parse(location ?? first.url, bare)?.href;
  table.at(bare)("List records.Path", target === first.url, show(location));
  const etag = first.headers.get("ETag");
  if (etag === null) return;
  const { status, headers } = await send(first.url, { headers: { "If-None-Match": etag } });
  const isRevalidated = status === 304 || headers.get("ETag") !== etag;
  table.at(`${first.url} If-None-Match: ${etag}`)("RFC 9110.If-None-Match", isRevalidated, String(status));
}

function isSamePage(one: CollectionPage, other: CollectionPage): boolean {
  return one.count === other.count && isDeepStrictEqual(one.results, other.results);
}
