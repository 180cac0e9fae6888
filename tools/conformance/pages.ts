import { COLLECTION_PATH } from "../../src/records/envelope.ts";
import { type HttpClient, requireFinalStatus } from "../http-client/client.ts";
import { type CollectionUrl, pageUrl } from "../http-client/collection-url.ts";
import type { HttpResponse } from "../http-client/request.ts";
import { isObject, isTotal, parseBody } from "./json.ts";

/** What a page answered. */
export interface Answered {
  /** As it was asked for, and what answered after redirects. */
  url: string;
  answeredBy: string;
  number: number;
  status: number;
  headers: Headers;
  /** What is wrong with the body. */
  flaw: string | undefined;
  /** The envelope, if the body is an object. */
  fields: Record<string, unknown> | undefined;
  /** Of the envelope, if it is one: 0 or greater. */
  count: number | undefined;
  /** Of the envelope; empty if they are no array. */
  results: unknown[];
}

/** The pages of a collection. */
export interface Pages {
  /** The absolute URL of the collection, as links should begin. */
  base: string;
  /** Where it is asked; the same, unless it leads elsewhere. */
  url: string;
  /**
   * Reads a page, and those behind it meanwhile, if there are to be several requests at a time.
   * @param last the last page to read ahead
   */
  read(number: number, last?: number): Promise<Answered>;
  /** Reads a page, whatever has been read already. */
  readAgain(number: number): Promise<Answered>;
  /** Reads the page that is answered without a page number. */
  readDefault(): Promise<Answered>;
}

export const HEADERS = {
  Accept: "application/json",
  "User-Agent": "traffic-count-records-conformance (npm run conformance)",
};

/**
 * Finds a collection, following redirects on its host, by its first page.
 * @throws Error if nothing answers there, or no JSON
 */
export async function findPages(
  { url: start }: CollectionUrl,
  asker: HttpClient,
  concurrency: number,
): Promise<{ pages: Pages; first: Answered }> {
  const begun = new Map<number, Promise<Answered>>();
  let url = start;
  const address = (number: number) => pageUrl({ url, query: new URLSearchParams() }, number);
  const ask = (number: number, redirects: number, asked = address(number)) =>
    asker.send({ url: asked, headers: HEADERS, maxRedirects: redirects }, (answer) => {
      requireFinalStatus(answer, Date.now());
      return readAnswer(asked, number, answer);
    });
  const first = await ask(1, 5);
  refuseOther(first);
  url = first.answeredBy.replace(/[?#].*/, "");
  const read = (number: number, last = number) => {
    const until = Math.max(number, Math.min(last, number + concurrency - 1));
    for (let ahead = number; ahead <= until; ahead++) {
      if (!begun.has(ahead)) begun.set(ahead, quiet(ask(ahead, 0)));
    }
    const answered = begun.get(number) ?? ask(number, 0);
    begun.delete(number);
    return answered;
  };
  const base = url.endsWith(COLLECTION_PATH) ? url : start;
  return {
    pages: {
      base,
      url,
      read,
      readAgain: (number) => ask(number, 0),
      readDefault: () => ask(1, 0, `${url}?format=api`),
    },
    first,
  };
}

/** What fails ahead of its turn fails when it is taken. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function refuseOther({ url, status, headers, flaw, fields }: Answered): void {
  if (status !== 200) throw new Error(`${url} answered ${status}: there is no collection`);
  if (fields !== undefined) return;
  const type = headers.get("Content-Type") ?? "no Content-Type";
  throw new Error(`${url} is no page of a collection (${type}): ${flaw ?? "the body is not a JSON object"}`);
}

function readAnswer(
  url: string,
  number: number,
  { url: answeredBy, status, headers, body }: HttpResponse,
): Answered {
  const { value, flaw } = parseBody(body);
  const fields = isObject(value) ? value : undefined;
  const { count, results } = fields ?? {};
  return {
    url,
    answeredBy,
    number,
    status,
    headers,
    flaw,
    fields,
    count: isTotal(count) ? count : undefined,
    results: Array.isArray(results) ? results : [],
  };
}
