import { COLLECTION_PATH } from "../../src/records/page.ts";
import { type HttpClient, requireFinalStatus } from "../http-client/client.ts";
import { type CollectionUrl, pageUrl } from "../http-client/collection-url.ts";
import { TransientError } from "../http-client/errors.ts";
import type { HttpResponse } from "../http-client/messages.ts";
import { isObject, isOversized, isSafeCount, parseBody } from "./response-body.ts";

/** The response to GET of a page. */
export interface PageResponse {
  /** The requested URL. */
  url: string;
  /** The URL that responded, after redirects. */
  finalUrl: string;
  number: number;
  /** 0 if there was no response. */
  status: number;
  headers: Headers;
  /** Why every attempt failed. */
  failure?: Error | undefined;
  isOversized: boolean;
  /** What is wrong with the body. */
  bodyError: string | undefined;
  /** The body, if it is a JSON object. */
  envelope: Record<string, unknown> | undefined;
  /** The count of the envelope, if it is valid. */
  count: number | undefined;
  /** The results of the envelope; empty if they are not an array. */
  results: unknown[];
}

/** The formats of a page: `api` as in the specification, or `json`. */
export const PAGE_FORMATS = ["api", "json"] as const;
export type PageFormat = (typeof PAGE_FORMATS)[number];

/** Reads the pages of a collection. */
export interface CollectionReader {
  /** What links should begin with: the absolute URL of the collection. */
  linkBase: string;
  /** The value of the query parameter `format` in each request. */
  format: PageFormat;
  /** The URL that is requested. It differs from `linkBase` if the collection redirects to another path. */
  url: string;
  /**
   * Reads a page. If requests may run concurrently, it also starts to read the pages after it.
   * @param last the last page to read ahead
   */
  read(number: number, last?: number): Promise<PageResponse>;
  /** Reads a page with a new request, even if it has already been read ahead. */
  readAgain(number: number): Promise<PageResponse>;
  /** Sends a request without a page number. */
  readDefault(): Promise<PageResponse>;
}

export const HEADERS = {
  Accept: "application/json",
  "User-Agent": "traffic-count-records-conformance (npm run conformance)",
};

interface ReaderOptions {
  concurrency: number;
  format: PageFormat;
}

/**
 * Finds a collection by its first page. Redirects on its host are followed.
 * @returns the first page, which may be faulty in any way
 * @throws Error if there is no response, or its status says that there is no collection for this client
 */
export async function findCollection(
  { url: start }: CollectionUrl,
  client: HttpClient,
  { concurrency, format }: ReaderOptions,
): Promise<{ reader: CollectionReader; first: PageResponse }> {
  const started = new Map<number, Promise<PageResponse>>();
  let url = start;
  const urlOf = (number: number) => pageUrl({ url, query: new URLSearchParams({ format }) }, number);
  const send = (number: number, maxRedirects: number, target = urlOf(number)) =>
    client
      .send({ url: target, headers: HEADERS, maxRedirects }, (response) => {
        requireFinalStatus(response, Date.now());
        return parsePage(target, number, response);
      })
      .catch((error) => parseFailedPage(target, number, error));
  const first = await send(1, 5);
  requireCollection(first);
  if (first.status === 0 && !isPage(await send(2, 5)))
    throw new Error(`${first.url} ${first.failure?.message}`);
  url = first.finalUrl.replace(/[?#].*/, "");
  const read = (number: number, last = number) => {
    const until = Math.max(number, Math.min(last, number + concurrency - 1));
    for (let ahead = number; ahead <= until; ahead++) {
      if (!started.has(ahead)) started.set(ahead, deferRejection(send(ahead, 0)));
    }
    const response = started.get(number) ?? send(number, 0);
    started.delete(number);
    return response;
  };
  const linkBase = url.endsWith(COLLECTION_PATH) ? url : start;
  const readAgain = (number: number) => send(number, 0);
  const readDefault = () => send(1, 0, `${url}?format=${format}`);
  return { reader: { linkBase, format, url, read, readAgain, readDefault }, first };
}

/** A page that is read ahead may fail before anything awaits it, which must not end the process. */
function deferRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Statuses that say that there is nothing here, or nothing for this client. */
const ABSENT = new Set([401, 403, 404, 407, 410]);

function requireCollection(page: PageResponse): void {
  if (isPage(page) || !ABSENT.has(page.status)) return;
  throw new Error(`${page.url} returned ${page.status}. Check the URL of the collection.`);
}

/**
 * What the last of several failed attempts says about a request.
 * @returns undefined if the service cannot be reached or asks clients to stay away, so that the check must end
 */
export function readFailure(error: unknown): { failure: Error; response?: HttpResponse } | undefined {
  if (!(error instanceof Error && error.cause instanceof TransientError)) return undefined;
  const { unreachable, response } = error.cause.advice;
  if (unreachable || response?.status === 429) return undefined;
  return response === undefined ? { failure: error } : { failure: error, response };
}

function parseFailedPage(url: string, number: number, error: unknown): PageResponse {
  const failed = readFailure(error);
  if (failed === undefined) throw error;
  const { failure, response = { url, status: 0, headers: new Headers(), body: new Uint8Array() } } = failed;
  const page = parsePage(url, number, response);
  const message = failure.message.replace(`${url} `, "");
  const bodyError = page.envelope === undefined ? message : page.bodyError;
  return { ...page, bodyError, failure: new Error(message, { cause: failure.cause }) };
}

function parsePage(
  url: string,
  number: number,
  { url: finalUrl, status, headers, body }: HttpResponse,
): PageResponse {
  const { value, error } = parseBody(body);
  const envelope = isObject(value) ? value : undefined;
  const { count, results } = envelope ?? {};
  return {
    url,
    finalUrl,
    number,
    status,
    headers,
    isOversized: isOversized(body),
    bodyError: error,
    envelope,
    count: isSafeCount(count) ? count : undefined,
    results: Array.isArray(results) ? results : [],
  };
}

/** Whether a response is a page at all. With another status than 200, an object without results is an error. */
export function isPage({ status, envelope }: PageResponse): boolean {
  return envelope !== undefined && (status === 200 || Array.isArray(envelope.results));
}
