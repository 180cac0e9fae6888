import { isDeepStrictEqual } from "node:util";
import { lastPage } from "../../src/records/page.ts";
import { isGrowth } from "./growth.ts";
import { isPage, type PageResponse, parsePage, readId } from "./page-response.ts";
import type { Walk } from "./page-walk.ts";
import type { Reply, RetryingClient } from "./retrying-client.ts";
import type { ExtraResponse } from "./rule.ts";

/** Sends the requests that are not part of the walk: for page 0, without a page number, and with other methods. */
export async function* sendExtraRequests(
  client: RetryingClient,
  walk: Walk,
  readOnly: boolean,
): AsyncGenerator<ExtraResponse> {
  const { url, readAgain } = walk.pages;
  const first = await readAgain(1);
  const pageZero = await client.sendOnce(`${url}?format=api&page=0`);
  yield { ...pageZero, purpose: "page 0", problem: findNewRecords(walk, first, parsePage(pageZero, 0, url)) };
  if (isPage(first)) yield await requestDefaultPage(walk, first);
  yield { ...(await client.send(url, { method: "OPTIONS" })), purpose: "options" };
  if (readOnly) return;
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) yield* testWrite(client, walk, method);
}

/** Page 0 may repeat another page, but if it has other records, pages are not numbered from 1. */
function findNewRecords({ seen }: Walk, first: PageResponse, page: PageResponse): string | undefined {
  const ids = page.status === 200 ? page.results.map(readId) : [];
  const isNew = ids.some((id) => id !== undefined && !seen.ids.has(id)) && !isGrowth(first, page);
  return isNew ? "has records that are on no other page, so page 1 is not the first" : undefined;
}

/** Without a page number, the response must be page 1. Records may have been added since that was read. */
async function requestDefaultPage({ pages }: Walk, first: PageResponse): Promise<ExtraResponse> {
  const page = await pages.readDefault();
  if (page.status === 200 && isPage(page) && isGrowth(first, page))
    return { ...page, purpose: "no page", page };
  const problem = page.failure ?? (page.status === 200 ? "is not page 1" : `returned ${page.status}`);
  return { ...page, purpose: "no page", problem };
}

async function* testWrite(client: RetryingClient, walk: Walk, method: string): AsyncGenerator<ExtraResponse> {
  for (const type of ["application/json", "application/x-www-form-urlencoded"]) {
    // A service that takes any input takes this one. Each attempt has another value, so each would be a change.
    const write = (attempt: number) => {
      const input = { camera_ref: "conformance-check", cars: String(attempt) };
      const body = type.endsWith("json") ? JSON.stringify(input) : String(new URLSearchParams(input));
      return client.sendOnce(walk.pages.url, { method, headers: { "Content-Type": type }, body });
    };
    const { reply, change } = await observe(walk, () => write(0));
    const response = { ...reply, purpose: "write" as const };
    const effect = `returned ${reply.status}, but ${change}`;
    if (change === undefined) yield { ...response, unclear: reply.failure };
    else if (await changesAgain(client, walk, write)) yield { ...response, problem: effect };
    else yield { ...response, unclear: `${effect}, perhaps for another reason` };
    if (reply.status < 400) return; // Another body would show no more.
  }
}

/** How often a write must change the pages, and OPTIONS leave them as they are, before the write is the cause. */
const ROUNDS = 5;

/** The number of OPTIONS requests differs, so that a collection that grows at regular intervals does not look like this. */
async function changesAgain(
  client: RetryingClient,
  walk: Walk,
  write: (attempt: number) => Promise<Reply>,
): Promise<boolean> {
  for (let round = 1; round <= ROUNDS; round++) {
    for (let request = 0; request < round; request++) {
      const harmless = await observe(walk, () => client.sendOnce(walk.pages.url, { method: "OPTIONS" }));
      if (harmless.change !== undefined) return false;
    }
    const { change, isEmpty } = await observe(walk, () => write(round));
    // From an empty collection, nothing can be deleted again.
    if (change === undefined && !isEmpty) return false;
  }
  return true;
}

/** Sends a request, and compares the pages on which a change would show before and after it. */
async function observe(walk: Walk, send: () => Promise<Reply>) {
  const before = await readEnds(walk);
  const reply = await send();
  const after = await readEnds(walk);
  const [was, is] = [before, after].map((ends) => ends.map(({ count, results }) => ({ count, results })));
  const isSame = isDeepStrictEqual(was, is) || ![...before, ...after].every(isPage);
  const change = isSame ? undefined : `the pages changed (count ${was?.[0]?.count}, then ${is?.[0]?.count})`;
  return { reply, change, isEmpty: is?.[0]?.count === 0 };
}

/** Reads the first page and the last one. */
async function readEnds({ pages }: Walk): Promise<PageResponse[]> {
  const first = await pages.readAgain(1);
  const last = lastPage(first.count ?? 0);
  return last === 1 ? [first] : [first, await pages.readAgain(last)];
}
