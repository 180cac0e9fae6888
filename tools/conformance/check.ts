import { judgeOptions, judgeWrites } from "./other-methods.ts";
import type { PageResponse } from "./page-response.ts";
import { createRetryingClient } from "./retrying-client.ts";
import { type CheckOptions, openWalk, walkPages } from "./walk.ts";

/** How often the pages are read if the collection changes each time. */
const MAX_WALKS = 3;

const CHANGING =
  "The collection changes faster than its pages can be read, or its servers have different states. Use --pages to read fewer.";

/** The report, which is also printed as JSON, so the names of its properties are public. */
export type CheckReport = Awaited<ReturnType<typeof checkConformance>>;

/**
 * Checks a collection against the rules of the specification. If an error or the signal ends the check early, the report
 * covers what was seen until then.
 * @param url the absolute URL of the collection, without query
 * @throws Error if nothing could be checked
 */
export async function checkConformance(url: string, options: CheckOptions = {}) {
  const client = createRetryingClient(options);
  let walk = await openWalk(client, url, options, true);
  requireCollection(walk.first);
  let stopped: string | null = null;
  try {
    for (let walks = 1; await walkPages(walk); walks++) {
      if (walks === MAX_WALKS) {
        stopped = CHANGING;
        break;
      }
      walk = await openWalk(client, url, options, false);
    }
    await judgeOptions(walk);
    if (!options.readOnly) await judgeWrites(walk);
  } catch (error) {
    stopped = `The check ended early: ${(options.signal?.aborted ? options.signal.reason : error).message}`;
  }
  const { first, pages, records, list, isConfirmed } = walk;
  return {
    url,
    count: first.count ?? null,
    pages,
    records: records.count,
    retries: client.state.retries,
    stopped,
    rules: list(isConfirmed),
  };
}

/** @throws Error if there is no collection for this client, or it is elsewhere */
function requireCollection({ url, status, headers }: PageResponse): void {
  if ([401, 403, 404, 407, 410].includes(status))
    throw new Error(`${url} returned ${status}. Check the URL of the collection.`);
  // A redirect to another path breaks a rule.
  const target = status >= 300 && status < 400 ? URL.parse(headers.get("Location") ?? "", url) : null;
  if (target?.pathname === new URL(url).pathname)
    throw new Error(`${url} redirects to ${target.origin}. Check the service there.`);
}
