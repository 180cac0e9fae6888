import ky, { HTTPError, type RetryOptions, TimeoutError } from "ky";
import * as z from "zod";
import type { Page } from "../../../src/records/record.ts";
import { printNotice } from "../../command-line/progress.ts";

/** Reads pages over HTTP. */
export interface PageClient {
  /** @throws Error with the URL, if every attempt failed */
  read(url: URL): Promise<Page>;
}

/** What a crawl needs of a page. The records are checked when they are loaded. */
const CrawledPage = z.looseObject({
  count: z.int().nonnegative(),
  next: z.url().nullable(),
  results: z.array(z.unknown()),
});

const TRANSIENT_STATUSES = [408, 425, 429, 500, 502, 503, 504];

/** The attempts together take about two minutes, longer than a restart of the service. */
const RETRY: RetryOptions = {
  limit: 7,
  statusCodes: TRANSIENT_STATUSES,
  afterStatusCodes: TRANSIENT_STATUSES,
  maxRetryAfter: 3_600_000,
  retryOnTimeout: true,
};

/** @param backoff milliseconds before the second attempt; each further one waits twice as long */
export function createPageClient(backoff = 1_000): PageClient {
  let isReached = false;
  const client = ky.create({
    headers: { Accept: "application/json" },
    timeout: 30_000,
    retry: {
      ...RETRY,
      delay: (attempt) => backoff * 2 ** (attempt - 1),
      // Later, a response that is cut or is not a page is repeated too.
      shouldRetry: ({ error }) => (error instanceof HTTPError ? undefined : isReached),
    },
    hooks: {
      beforeRetry: [({ request, error }) => printNotice(`${request.url} ${describe(error)}; trying again.`)],
    },
    // The body is read here, so that the time limit and the retries include it.
    async fetch(request, init) {
      const response = await fetch(request, init);
      const body = await response.text();
      if (response.ok) JSON.parse(body);
      return new Response(body, response);
    },
  });
  return {
    async read(url) {
      try {
        const page = await client.get(url).json<Page>();
        requireNext(CrawledPage.parse(page).next, url);
        isReached = true;
        return page;
      } catch (error) {
        throw new Error(`${url} ${describe(error)}`, { cause: error });
      }
    },
  };
}

/** @throws Error if the link is not to the page after this one; it might lead in a circle */
function requireNext(next: string | null, url: URL): void {
  const [page, following] = [url, next].map((link) =>
    Number(link && (new URL(link).searchParams.get("page") ?? 1)),
  );
  if (next === null || following === Number(page) + 1) return;
  throw new Error(`has a link to page ${following} as the next one after page ${page}`);
}

function describe(error: unknown): string {
  if (error instanceof HTTPError) {
    const { detail } = Object(error.data);
    return `returned ${error.response.status}${detail === undefined ? "" : `: ${detail}`}`;
  }
  if (error instanceof TimeoutError) return "did not respond in time";
  if (error instanceof z.ZodError || error instanceof SyntaxError) return "is not a page of records";
  const { message, cause } = error as Error;
  return cause instanceof Error ? `could not be read: ${cause.message}` : message;
}
