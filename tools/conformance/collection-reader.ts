import { COLLECTION_PATH } from "../../src/records/envelope.ts";
import { type HttpClient, requireFinalStatus } from "../http-client/client.ts";
import { type CollectionUrl, pageUrl } from "../http-client/collection-url.ts";
import type { HttpResponse } from "../http-client/request.ts";
import { isObject, isSafeCount, parseBody } from "./response-body.ts";

/** The response to GET of a page. */
export interface PageResponse {
  /** The requested URL. */
  url: string;
  /** The URL that responded, after redirects. */
  finalUrl: string;
  number: number;
  status: number;
  headers: Headers;
  /** What is wrong with the body. */
  bodyError: string | undefined;
  /** The body, if it is a JSON object. */
  envelope: Record<string, unknown> | undefined;
  /** The count of the envelope, if it is valid. */
  count: number | undefined;
  /** The results of the envelope; empty if they are not an array. */
  results: unknown[];
}

/** Reads the pages of a collection. */
export interface CollectionReader {
  /** What links should begin with: the absolute URL of the collection. */
  linkBase: string;
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

/**
 * Finds a collection by its first page. Redirects on its host are followed.
 * @throws Error if there is no response, or it is not a JSON object
 */
export async function findCollection(
  { url: start }: CollectionUrl,
  client: HttpClient,
  concurrency: number,
): Promise<{ reader: CollectionReader; first: PageResponse }> {
  const started = new Map<number, Promise<PageResponse>>();
  let url = start;
  const urlOf = (number: number) => pageUrl({ url, query: new URLSearchParams() }, number);
  const send = (number: number, maxRedirects: number, target = urlOf(number)) =>
    client.send({ url: target, headers: HEADERS, maxRedirects }, (response) => {
      requireFinalStatus(response, Date.now());
      return parsePage(target, number, response);
    });
  const first = await send(1, 5);
  requireCollection(first);
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
  const readDefault = () => send(1, 0, `${url}?format=api`);
  return { reader: { linkBase, url, read, readAgain, readDefault }, first };
}

/** A page that is read ahead may fail before anything awaits it, which must not end the process. */
function deferRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function requireCollection({ url, status, headers, bodyError, envelope }: PageResponse): void {
  if (status !== 200) throw new Error(`${url} returned ${status}. Check the URL of the collection.`);
  if (envelope !== undefined) return;
  const type = headers.get("Content-Type") ?? "no Content-Type";
  const error = bodyError ?? "the body is not a JSON object";
  throw new Error(`${url} is not a page of a collection (${type}): ${error}`);
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
    bodyError: error,
    envelope,
    count: isSafeCount(count) ? count : undefined,
    results: Array.isArray(results) ? results : [],
  };
}

/** Whether a response is a page at all. */
export function isPage({ status, envelope }: PageResponse): boolean {
  return status === 200 && envelope !== undefined;
}
