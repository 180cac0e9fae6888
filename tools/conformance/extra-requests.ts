import { isDeepStrictEqual } from "node:util";
import { lastPage } from "../../src/records/page.ts";
import { type HttpClient, requireFinalStatus } from "../http-client/client.ts";
import { decodeBody } from "../http-client/request.ts";
import { HEADERS, isPage, type PageResponse } from "./collection-reader.ts";
import type { ResponseEvent } from "./events.ts";
import type { Walk } from "./walk.ts";

interface ExtraRequests {
  client: HttpClient;
  /** The walk, after it has ended. */
  walk: Walk;
  /** Send no request that would write. */
  readOnly: boolean;
}

const WRITE_METHODS = ["POST", "PUT", "PATCH", "DELETE"];

/** Sends the requests that are not part of a walk: without a page number, with other methods, for page 0. */
export async function sendExtraRequests({ client, walk, readOnly }: ExtraRequests): Promise<void> {
  const { reader, emit } = walk;
  await requestDefaultPage(walk);
  emit("options", await send(client, "OPTIONS", reader.url));
  const pageZero = await send(client, "GET", `${reader.url}?format=api&page=0`);
  emit("pageZero", { ...pageZero, subject: "page=0" });
  if (readOnly) return;
  for (const method of WRITE_METHODS) emit("write", await send(client, method, reader.url));
}

const MAX_READS = 3;

/** Compares the response to a request without a page number with page 1, as it is both before and after it. */
async function requestDefaultPage(walk: Walk): Promise<void> {
  for (let reads = 0; reads < MAX_READS; reads++) {
    const before = await walk.reader.readAgain(1);
    const response = await walk.reader.readDefault();
    const after = await walk.reader.readAgain(1);
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
  emit("page", { ...response, linkBase: reader.linkBase, isLast: isOnlyPage(walk, first) });
  if (count === undefined || first.count === undefined || count === first.count) return;
  emit("count", { url, error: `count is ${count}, but it is ${first.count} on page 1` });
}

function findDifference(response: PageResponse, first: PageResponse): string | undefined {
  if (response.status !== 200) return `returned ${response.status}`;
  if (!isPage(response)) return "is not a page";
  return hasSameRecords(response, first) ? undefined : "has different records than page 1";
}

function hasSameRecords(one: PageResponse, other: PageResponse): boolean {
  return isDeepStrictEqual(one.envelope?.results, other.envelope?.results);
}

/** The walk has found out, unless the collection has grown since. */
function isOnlyPage({ state, result }: Walk, { count }: PageResponse): boolean {
  return count === undefined || count === state.count ? result.lastPage === 1 : lastPage(count) === 1;
}

/** Statuses of a proxy or a rate limit. Any other status is the response of the service to the method. */
const RETRIED_STATUSES = new Set([429, 502, 503, 504]);

async function send(client: HttpClient, method: string, url: string): Promise<ResponseEvent> {
  const isWrite = WRITE_METHODS.includes(method);
  const request = {
    url,
    method,
    maxRedirects: 0,
    headers: isWrite ? { ...HEADERS, "Content-Type": "application/json" } : HEADERS,
    ...(isWrite ? { body: "{}" } : {}),
  };
  const response = await client.send(request, (response) => {
    if (RETRIED_STATUSES.has(response.status)) requireFinalStatus(response, Date.now());
    return response;
  });
  const { status, headers, body } = response;
  return { url, subject: method, status, headers, body: decodeBody(body) ?? "" };
}
