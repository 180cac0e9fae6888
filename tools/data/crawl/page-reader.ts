import * as z from "zod";
import { formatDetail } from "../../../data/formats/problem.ts";
import { createValidator, isObject } from "../../../data/formats/validation.ts";
import { formatValue } from "../../../data/formatting.ts";
import { Page } from "../../../src/records/record.ts";
import { createHttpClient, type HttpClientOptions, requireFinalStatus } from "../../http-client/client.ts";
import { type CollectionUrl, pageUrl } from "../../http-client/collection-url.ts";
import { RefusedError, TransientError } from "../../http-client/errors.ts";
import type { HttpResponse } from "../../http-client/messages.ts";
import { decodeBody } from "../../http-client/request.ts";

/** A page as the service returned it. Only `count` and the presence of `results` have been checked. */
export interface FetchedPage {
  /** The requested URL. */
  url: string;
  /** The collection after redirects, with the query parameters that its links require. */
  collection: CollectionUrl;
  number: number;
  count: number;
  results: unknown[];
  /** All fields of the envelope. */
  envelope: Record<string, unknown>;
}

export interface PageReader {
  /**
   * Fetches a page, and retries after transient failures.
   * @param accept may throw `TransientError` to request a retry
   */
  read(number: number, accept?: (page: FetchedPage) => void): Promise<FetchedPage>;
  /** Counted since this reader was created. */
  counters: { pages: number; retries: number };
}

/**
 * The attempts for a page that is missing or outdated. If several servers serve the collection, one of them may lag
 * behind for a moment.
 */
export const STALE_PAGE_ATTEMPTS = 4;

const HEADERS = {
  Accept: "application/json",
  "User-Agent": "traffic-count-records-crawl (npm run data -- crawl)",
};

export function createPageReader(start: CollectionUrl, options: HttpClientOptions): PageReader {
  const client = createHttpClient(options);
  let collection = start;
  let pages = 0;
  return {
    get counters() {
      return { pages, ...client.counters };
    },
    read(number, accept) {
      const url = pageUrl(collection, number);
      return client.send({ url, headers: HEADERS }, (response) => {
        collection = { ...collection, url: response.url.replace(/[?#].*/, "") };
        requireOk(url, number, response, options.clock.now());
        const content = parseEnvelope(url, response, pages === 0);
        if (pages === 0) collection = addLinkParameters(collection, content.envelope.next);
        const page = { url, collection, number, ...content };
        accept?.(page);
        pages += 1;
        return page;
      });
    },
  };
}

/**
 * Adds the query parameters of the first page's link to those of the collection, except the page number: a server may
 * require them from the second page on.
 */
function addLinkParameters({ url, query }: CollectionUrl, link: unknown): CollectionUrl {
  const next = typeof link === "string" ? URL.parse(link) : null;
  if (!next || next.origin + next.pathname !== url) return { url, query };
  const extended = new URLSearchParams(query);
  for (const [name, value] of next.searchParams)
    if (!["page", "format"].includes(name) && !query.has(name)) extended.append(name, value);
  return { url, query: extended };
}

function requireOk(url: string, number: number, response: HttpResponse, now: number): void {
  const { status } = response;
  if (status === 200) return;
  requireFinalStatus(response, now);
  const finalError = new RefusedError(url, status);
  if (status !== 404 || number === 1) throw finalError;
  throw new TransientError("returned 404", { maxAttempts: STALE_PAGE_ATTEMPTS, finalError });
}

const envelopeValidator = createValidator(
  z.strictObject({ count: Page.shape.count, results: z.array(z.unknown()) }),
  "an envelope",
);

/** @param isFirst whether no page has been read yet: then the URL is probably wrong, and a retry would not help */
function parseEnvelope(url: string, response: HttpResponse, isFirst: boolean) {
  const envelope = parseObject(response);
  const { count, results } = envelope;
  const checked = envelopeValidator.validate({ count, results }, {}, envelope);
  if ("data" in checked) return { ...checked.data, envelope };
  const message = `returned an invalid envelope: ${checked.problems.map(formatDetail).join("; ")}`;
  throw isFirst ? new Error(`${url} ${message}`) : new TransientError(message);
}

function parseObject({ body, headers }: HttpResponse): Record<string, unknown> {
  const text = decodeBody(body);
  if (text === undefined) throw new TransientError("returned a body that is not UTF-8 text");
  try {
    const value = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {}
  const type = headers.get("Content-Type") ?? "no Content-Type";
  throw new TransientError(`returned a body that is not a JSON object (${type}): ${formatValue(text)}`);
}
