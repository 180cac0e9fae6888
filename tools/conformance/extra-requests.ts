import { isDeepStrictEqual } from "node:util";
import { lastPage } from "../../src/records/page.ts";
import { isPage, type PageResponse } from "./collection-reader.ts";
import type { ResponseEvent } from "./events.ts";
import { type ExtraRequests, sendPlain } from "./plain-request.ts";
import { sendReferenceRequests } from "./reference.ts";
import { isObject, parseBody } from "./response-body.ts";
import { readRecordId } from "./seen-records.ts";
import type { Walk } from "./walked-page.ts";
import { sendWrites } from "./writes.ts";

/** Sends the requests that are not part of a walk: without a page number, with other methods, for page 0. */
export async function sendExtraRequests(requests: ExtraRequests): Promise<void> {
  const { client, walk, readOnly } = requests;
  const { reader, emit } = walk;
  const url = `${reader.url}?format=${reader.format}&page=0`;
  const pageZero = await sendPlain(client, { url, method: "GET" });
  emit("pageZero", { ...pageZero, subject: "page=0", hasNewRecords: hasNewRecords(walk, pageZero) });
  if (!walk.result.isOversized) await requestDefaultPage(walk);
  emit("options", await sendPlain(client, { url: reader.url, method: "OPTIONS" }));
  if (!readOnly) await sendWrites(requests);
  if (walk.result.pages > 0 && !walk.result.isOversized) await sendReferenceRequests(requests);
}

const MAX_READS = 3;

/** Compares the response to a request without a page number with page 1, as it is both before and after it. */
async function requestDefaultPage(walk: Walk): Promise<void> {
  for (let reads = 0; reads < MAX_READS; reads++) {
    const before = await walk.reader.readAgain(1);
    if (!isPage(before)) return;
    const response = await walk.reader.readDefault();
    const after = await walk.reader.readAgain(1);
    walk.emit("newest", { url: after.url, results: after.results });
    // If they differ, the collection grew in between.
    if (before.count === after.count && hasSameRecords(before, after)) {
      return emitDefaultPage(walk, response, before);
    }
  }
}

/** A response with the records of page 1 is page 1, so every rule about pages applies to it. */
function emitDefaultPage(walk: Walk, response: PageResponse, first: PageResponse): void {
  const { reader, emit } = walk;
  const { url, count } = response;
  const difference = findDifference(response, first);
  emit("defaultPage", { url, difference });
  if (difference !== undefined) return;
  const { linkBase, format } = reader;
  emit("page", { ...response, linkBase, format, isLast: isOnlyPage(walk, first) });
  if (count === undefined || first.count === undefined || count === first.count) return;
  emit("count", { url, error: `count is ${count}, but it is ${first.count} on page 1` });
}

function findDifference(response: PageResponse, first: PageResponse): string | undefined {
  if (response.status !== first.status) return response.failure?.message ?? `returned ${response.status}`;
  if (!isPage(response)) return response.bodyError ?? "is not a page";
  return hasSameRecords(response, first) ? undefined : "has different records than page 1";
}

function hasSameRecords(one: PageResponse, other: PageResponse): boolean {
  return isDeepStrictEqual(one.envelope?.results, other.envelope?.results);
}

/** The walk has found out, unless the collection has grown since. */
function isOnlyPage({ state, result }: Walk, { count }: PageResponse): boolean {
  return count === undefined || count === state.count ? result.lastPage === 1 : lastPage(count) === 1;
}

/** Page 0 may repeat another page, but if it holds other records, pages are not numbered from 1. */
function hasNewRecords({ state, result }: Walk, { status, body }: ResponseEvent): boolean {
  const { value } = parseBody(Buffer.from(body));
  if (status !== 200 || !isObject(value) || !Array.isArray(value.results)) return false;
  // A collection that grows has new records everywhere.
  if (value.count !== state.count || result.growths > 0 || result.pages === 0) return false;
  return value.results.some((record) => {
    const id = readRecordId(record);
    return id !== undefined && !state.seenIds.has(id);
  });
}
