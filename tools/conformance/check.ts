// A walk reads the collection from page 1 to the last page.
//
// - If a single response breaks a rule, the rule is broken.
// - If pages contradict each other in the first walk, the collection may have changed, or its servers may have different states for a
//   moment. A second walk starts after 6 seconds.
// - If pages contradict each other in the second walk, and page 1 is the same after 6 seconds, the rule is broken. If page 1 is
//   different, the collection changes too fast, and the check ends.
// - The result of a write request is unclear if page 1 has changed, or if the response is missing, 429 or 5xx.

import { isSamePage, type PageResponse } from "./page-response.ts";
import { createRetryingClient } from "./retrying-client.ts";
import { checkAllow } from "./rules.ts";
import { type CheckOptions, startWalk, type Walk, walkPages } from "./walk.ts";

const CHANGING =
  "The collection changes faster than its pages can be read, or its servers have different states. Use --pages to read fewer pages.";

/** The report. The names of its members are public, because `--json` prints it. */
export type CheckReport = Awaited<ReturnType<typeof checkConformance>>;

/**
 * Checks a collection against the rules of the specification. If an error or the signal ends the check early, the report
 * covers the responses until then.
 * @param url The absolute URL of the collection, without query
 * @throws Error if nothing could be checked
 */
export async function checkConformance(url: string, options: CheckOptions = {}) {
  const client = createRetryingClient(options);
  let walk = await startWalk(client, url, options, true);
  requireCollection(walk.first);
  try {
    if (!(await walkPages(walk))) {
      walk = await startWalk(client, url, options);
      if (!(await walkPages(walk))) walk.stopped = CHANGING;
    }
    await checkOptions(walk);
    if (!options.readOnly) await checkWrites(walk);
  } catch (error) {
    walk.stopped = `The check ended early: ${(options.signal?.aborted ? options.signal.reason : error).message}`;
  }
  const { first, pages, records, stopped, contradictions, addFinding, list } = walk;
  for (const finding of contradictions) addFinding(...finding, true);
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

/** @throws Error if the client cannot read the collection, or is redirected to a different origin */
function requireCollection({ url, status, headers }: PageResponse): void {
  if ([401, 403, 404, 407, 410].includes(status))
    throw new Error(`${url} returned ${status}. Check the URL of the collection.`);
  // A redirect within the origin breaks a rule, and does not end the check.
  const target = status >= 300 && status < 400 ? URL.parse(headers.get("Location") ?? "", url) : null;
  if (target && target.origin !== new URL(url).origin)
    throw new Error(`${url} redirects to ${target.origin}. Check the service there.`);
}

async function checkOptions({ client, addFinding, url }: Walk): Promise<void> {
  const reply = await client.send(url, { method: "OPTIONS" });
  const isAllowed = reply.headers.has("Allow") || "Allow is missing";
  const isSuccess = reply.status >= 200 && reply.status < 300;
  addFinding("Options.method", `${url} OPTIONS`, isSuccess ? isAllowed : reply.outcome);
  if (isAllowed === true) addFinding("List records.Allow", `${url} OPTIONS`, checkAllow(reply));
}

/** Sends requests that the service must reject, and compares page 1 before and after each request. */
async function checkWrites({ client, addFinding, url, read }: Walk): Promise<void> {
  let page = await read(1);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const where = `${url} ${method}`;
    const body = JSON.stringify({ camera_ref: "conformance-check" });
    const init = { method, headers: { "Content-Type": "application/json" }, body };
    const reply = await client.send(url, init, false);
    const { status, outcome } = reply;
    const after = await read(1);
    const hasEffect = after.status > 0 && !isSamePage(page, after);
    if (after.status > 0) page = after;
    addFinding("List records.Allow", where, checkAllow(reply, "GET, OPTIONS"));
    const isRejected = status === 501 || (status >= 400 && status < 500 && status !== 429);
    const problem = hasEffect ? `${outcome}, but page 1 changed` : outcome;
    // A change of page 1 after a rejected request is unclear evidence, because the change may have another cause.
    addFinding("Record 5", where, (isRejected && !hasEffect) || problem, status === 0 || status >= 400);
  }
}
