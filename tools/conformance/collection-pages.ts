import { COLLECTION_PATH } from "../../src/records/page.ts";
import { isPage, type PageResponse, parsePage } from "./page-response.ts";
import type { RetryingClient } from "./retrying-client.ts";

export type CollectionPages = Awaited<ReturnType<typeof openPages>>;

/**
 * Reads the first page of a collection.
 * @param url absolute, without query
 * @param concurrency how many requests may run at the same time
 * @param baseUrl what links begin with before the path of the collection
 * @throws Error if there is no collection for this client, or it is elsewhere
 */
export async function openPages(client: RetryingClient, url: string, concurrency: number, baseUrl?: string) {
  const linkBase = baseUrl === undefined ? url : baseUrl + COLLECTION_PATH;
  const send = async (query: string, number: number) =>
    parsePage(await client.send(url + query), number, linkBase);
  /** Reads a page with a new request, even if it has already been read ahead. */
  const readAgain = (number: number) => send(`?format=api&page=${number}`, number);
  const first = await readAgain(1);
  requireCollection(first);
  const started = new Map([[1, Promise.resolve(first)]]);
  return {
    url,
    readAgain,
    /** Reads page 1 without its number. */
    readDefault: () => send("?format=api", 1),
    /** Reads a page, and starts to read the pages after it, up to the last one. */
    read(number: number, last: number): Promise<PageResponse> {
      for (let ahead = number + 1; ahead < number + concurrency && ahead <= last; ahead++) {
        const page = started.get(ahead) ?? readAgain(ahead);
        page.catch(() => {}); // It may fail before anything awaits it, which must not end the process.
        started.set(ahead, page);
      }
      const page = started.get(number) ?? readAgain(number);
      started.delete(number);
      return page;
    },
  };
}

/** Statuses that say that there is nothing here, or nothing for this client. */
const ABSENT = [401, 403, 404, 407, 410];

function requireCollection(first: PageResponse): void {
  const { url, status, headers } = first;
  if (ABSENT.includes(status) && !isPage(first))
    throw new Error(`${url} returned ${status}. Check the URL of the collection.`);
  // A redirect to another path breaks a rule.
  const target = status >= 300 && status < 400 ? URL.parse(headers.get("Location") ?? "", url) : null;
  if (target?.pathname === new URL(url).pathname)
    throw new Error(`${url} redirects to ${target.origin}. Check the service there.`);
}
