import { isDeepStrictEqual } from "node:util";
import { lastPage } from "../../src/records/page.ts";
import type { HttpClient } from "../http-client/client.ts";
import { requireFinalStatus } from "../http-client/client.ts";
import { decodeBody } from "../http-client/request.ts";
import { isReadable } from "./following.ts";
import type { SeenAnswer } from "./observation.ts";
import { type Answered, HEADERS } from "./pages.ts";
import type { Walk } from "./walk.ts";

interface Probing {
  asker: HttpClient;
  /** That has come to its end. */
  walk: Walk;
  /** Send nothing that would write. */
  readOnly: boolean;
}

const WRITES = ["POST", "PUT", "PATCH", "DELETE"];

/** Asks what no walk shows: without page number, by other methods, for a page that cannot exist. */
export async function probe(probing: Probing): Promise<void> {
  const { pages, observe } = probing.walk;
  await probeDefault(probing.walk);
  observe("options", await send(probing, "OPTIONS", pages.url));
  observe("error", { ...(await send(probing, "GET", `${pages.url}?format=api&page=0`)), name: "page=0" });
  if (probing.readOnly) return;
  for (const method of WRITES) observe("write", await send(probing, method, pages.url));
}

const MOST_READS = 3;

/** Compares with page 1 as it is before and after. */
async function probeDefault(walk: Walk): Promise<void> {
  for (let reads = 0; reads < MOST_READS; reads++) {
    const before = await walk.pages.readAgain(1);
    const answered = await walk.pages.readDefault();
    const after = await walk.pages.readAgain(1);
    // Otherwise it grew meanwhile.
    if (before.count === after.count && hasSameRecords(before, after)) {
      return tellDefault(walk, answered, before);
    }
  }
}

/** What has the records of page 1 is page 1, and every rule of a page is about it. */
function tellDefault(walk: Walk, answered: Answered, first: Answered): void {
  const { pages, observe } = walk;
  const { url, count } = answered;
  const difference = compareDefault(answered, first);
  observe("default", { url, difference });
  if (difference !== undefined) return;
  observe("page", { ...answered, base: pages.base, isLast: isOnlyPage(walk, first) });
  if (count === undefined || first.count === undefined || count === first.count) return;
  observe("count", { url, change: "none", flaw: `count is ${count}, but ${first.count} on page 1` });
}

function compareDefault(answered: Answered, first: Answered): string | undefined {
  if (answered.status !== 200) return `is answered ${answered.status}`;
  if (!isReadable(answered)) return "is not a page";
  return hasSameRecords(answered, first) ? undefined : "has other records than page 1";
}

function hasSameRecords(one: Answered, other: Answered): boolean {
  return isDeepStrictEqual(one.fields?.results, other.fields?.results);
}

/** The walk knows, unless the collection has grown since. */
function isOnlyPage({ state, walked }: Walk, { count }: Answered): boolean {
  return count === undefined || count === state.count ? walked.last === 1 : lastPage(count) === 1;
}

/** Statuses of whatever stands before the service, or of its patience; any other is an answer to the method. */
const FRONT_STATUSES = new Set([429, 502, 503, 504]);

async function send({ asker }: Probing, method: string, url: string): Promise<SeenAnswer> {
  const isWrite = WRITES.includes(method);
  const asked = {
    url,
    method,
    maxRedirects: 0,
    headers: isWrite ? { ...HEADERS, "Content-Type": "application/json" } : HEADERS,
    ...(isWrite ? { body: "{}" } : {}),
  };
  const answer = await asker.send(asked, (answer) => {
    if (FRONT_STATUSES.has(answer.status)) requireFinalStatus(answer, Date.now());
    return answer;
  });
  const { status, headers, body } = answer;
  return { url, name: method, status, headers, body: decodeBody(body) ?? "" };
}
