import { lastPage } from "../../src/records/page.ts";
import { openProgress } from "../command-line/progress.ts";
import { createHttpClient, type HttpClient, type HttpClientOptions } from "../http-client/client.ts";
import type { CollectionUrl } from "../http-client/collection-url.ts";
import { createIds } from "./ids.ts";
import { createMemory } from "./memory.ts";
import { findPages } from "./pages.ts";
import { probe } from "./probes.ts";
import { RULES } from "./rules.ts";
import { createState } from "./state.ts";
import { createTally, type Judged } from "./tally.ts";
import { type Walk, type Walked, walkPages } from "./walk.ts";

export interface ExamineOptions extends HttpClientOptions {
  /** Only so many pages from the first, and the middle and last one; all, if absent. */
  pages?: number | undefined;
  /** Send nothing that would write. */
  readOnly: boolean;
}

/** What came of an examination. */
export interface Examination extends Walked {
  /** The collection, after redirects. */
  url: string;
  /** Records in it, as its pages say at last. */
  count: number | undefined;
  retries: number;
  rules: Judged[];
}

/**
 * Walks a collection and judges it by the rules of the specification. If the signal ends it early, what was seen is judged.
 * @throws Error if it could not be examined at all
 */
export async function examine(collection: CollectionUrl, options: ExamineOptions): Promise<Examination> {
  const { asker, statuses } = countFailures(createHttpClient({ ...options, failFast: true }));
  const tally = createTally(RULES);
  const { observe } = tally;
  const { pages, first } = await findPages(collection, asker, options.concurrency);
  const ids = createIds();
  const state = createState(ids);
  const progress = openProgress("walking", planPages(first.count, options.pages), { unit: "pages" });
  const walk: Walk = {
    pages,
    state,
    memory: createMemory(ids),
    observe,
    pause: () => options.clock.wait(options.retryPolicy.backoff, options.signal),
    onPage: () => progress.update(walk.walked.pages, planPages(state.count, options.pages)),
    most: options.pages,
    walked: {
      pages: 0,
      records: 0,
      growths: 0,
      contradictory: false,
      doubtful: false,
      regular: true,
      last: undefined,
      stopped: undefined,
    },
  };
  try {
    await walkPages(walk, first).finally(() => observe("failures", { url: pages.url, statuses }));
    await probe({ asker, walk, readOnly: options.readOnly });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { aborted, reason } = options.signal;
    walk.walked.stopped = `The examination ended early: ${aborted ? reason.message : error.message}`;
  } finally {
    progress.close();
  }
  observe("requests", { url: pages.url, throttled: statuses.get(THROTTLED) ?? 0 });
  const { retries } = asker.counters;
  return { url: pages.url, count: state.count, retries, ...walk.walked, rules: tally.judge() };
}

const THROTTLED = 429;

/** Counts the answers that are errors of the server, or ask to be left alone, by their status. */
function countFailures(asker: HttpClient): { asker: HttpClient; statuses: Map<number, number> } {
  const statuses = new Map<number, number>();
  const send: HttpClient["send"] = (asked, read) =>
    asker.send(asked, (answer) => {
      const { status } = answer;
      if (status === THROTTLED || status >= 500) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return read(answer);
    });
  return { asker: { ...asker, send }, statuses };
}

function planPages(count: number | undefined, most: number | undefined): number | undefined {
  if (count === undefined) return undefined;
  const last = lastPage(count);
  return most === undefined ? last : Math.min(last, most + 2);
}
