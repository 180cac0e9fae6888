// How a check decides. It reads the collection from page 1 to the last page, and judges a walk during which nothing has changed.
//
// - A response breaks a rule by itself: the rule is broken, whatever else changes.
// - No pages contradict each other: the first walk is judged.
// - Pages contradict each other in the first walk: the collection has changed, its servers learn of a change one after the other, or
//   a rule is broken. After 6 seconds, the next walk begins.
// - They do so in a later walk, and page 1 is the same after 6 seconds: nothing has changed, so the rule is broken.
// - They do so, and page 1 is another one: the collection has changed, so the next walk begins. After the third one, the check ends.
// - Page 1 changes after a request that would write: perhaps somebody else has changed it, so the request is sent once more. If page
//   1 changes again, and not back, the rule is broken.
// - The response to such a request is missing, 429 or 5xx: it is unclear whether the service writes.

import { isSamePage, type PageResponse } from "./page-response.ts";
import { createRetryingClient, type Reply } from "./retrying-client.ts";
import { checkAllow, type Judge } from "./rules.ts";
import { beginWalk, type CheckOptions, type Walk, walkPages } from "./walk.ts";

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
  let walk = await beginWalk(client, url, options, true);
  requireCollection(walk.first);
  try {
    for (let walks = 1; !(await walkPages(walk)); walks++) {
      if (walks === MAX_WALKS) {
        walk.stopped = CHANGING;
        break;
      }
      walk = await beginWalk(client, url, options);
    }
    await judgeOptions(walk);
    if (!options.readOnly) await judgeWrites(walk);
  } catch (error) {
    walk.stopped = `The check ended early: ${(options.signal?.aborted ? options.signal.reason : error).message}`;
  }
  const { first, pages, records, stopped, contradictions, judge, list } = walk;
  for (const finding of contradictions) judge(...finding, true);
  return {
    url,
    count: first.count ?? null,
    pages,
    records: records.ids.size,
    retries: client.state.retries,
    stopped,
    rules: list(),
  };
}

/** @throws Error if there is no collection for this client, or it is elsewhere */
function requireCollection({ url, status, headers }: PageResponse): void {
  if ([401, 403, 404, 407, 410].includes(status))
    throw new Error(`${url} returned ${status}. Check the URL of the collection.`);
  // A redirect to the same origin breaks a rule.
  const target = status >= 300 && status < 400 ? URL.parse(headers.get("Location") ?? "", url) : null;
  if (target && target.origin !== new URL(url).origin)
    throw new Error(`${url} redirects to ${target.origin}. Check the service there.`);
}

/** Sends OPTIONS, which must be allowed. */
async function judgeOptions({ client, judge, url }: Walk): Promise<void> {
  const reply = await client.send(url, { method: "OPTIONS" });
  const isAllowed = reply.headers.has("Allow") || "Allow is missing";
  const isSuccess = reply.status >= 200 && reply.status < 300;
  judge("Options.method", `${url} OPTIONS`, isSuccess ? isAllowed : reply.outcome);
  if (isAllowed === true) judge("List records.Allow", `${url} OPTIONS`, checkAllow(reply));
}

/** Sends requests that must be refused, and judges whether they change page 1. */
async function judgeWrites({ client, judge, url, read, first }: Walk): Promise<void> {
  let page = await read(1);
  const isStable = isSamePage(first, page);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const write = async (cars: number) => {
      const body = JSON.stringify({ camera_ref: "conformance-check", cars });
      const init = { method, headers: { "Content-Type": "application/json" }, body };
      const reply = await client.send(url, init, false);
      const latest = page;
      // A service that handles one request at a time does not respond while this one hangs.
      const now = await read(1, undefined, reply.status > 0);
      if (now.status > 0) page = now;
      return { ...reply, hasEffect: !isSamePage(latest, page) };
    };
    const before = page;
    const reply = await write(1);
    // The second request has another value. If all records have been deleted, it cannot delete more.
    const changesAgain = async () => (await write(2)).hasEffect && !isSamePage(before, page);
    const isCause = reply.hasEffect && isStable && (page.count === 0 || (await changesAgain()));
    judge("List records.Allow", `${url} ${method}`, checkAllow(reply, "GET, OPTIONS"));
    judgeWrite(judge, reply, `${url} ${method}`, isCause);
  }
}

function judgeWrite(judge: Judge, reply: Reply & { hasEffect: boolean }, where: string, isCause: boolean) {
  const { status, outcome, hasEffect } = reply;
  const isRefused = status === 501 || (status >= 400 && status < 500 && status !== 429);
  const problem = hasEffect ? `${outcome}, but page 1 changed` : outcome;
  const isBroken = isCause || (status > 0 && status < 400);
  judge("Record 5", where, (isRefused && !hasEffect) || problem, !isBroken);
}
