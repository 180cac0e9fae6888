import { isDeepStrictEqual } from "node:util";
import type { Asker } from "../client/asker.ts";
import { refuseTransient } from "../client/asker.ts";
import { type Answer, decodeBody } from "../client/request.ts";
import { isObject, parseBody } from "./json.ts";
import type { Observe, SeenAnswer } from "./observation.ts";
import { HEADERS, type Pages } from "./pages.ts";

interface Probing {
  asker: Asker;
  pages: Pages;
  observe: Observe;
  /** Send nothing that would write. */
  readOnly: boolean;
}

const WRITES = ["POST", "PUT", "PATCH", "DELETE"];

/** Asks what no walk shows: without page number, by other methods, for a page that cannot exist. */
export async function probe(probing: Probing): Promise<void> {
  const { pages, observe } = probing;
  await probeDefault(probing);
  observe("options", await send(probing, "OPTIONS", pages.url));
  observe("error", { ...(await send(probing, "GET", `${pages.url}?format=api&page=0`)), name: "page=0" });
  if (probing.readOnly) return;
  for (const method of WRITES) observe("write", await send(probing, method, pages.url));
}

const MOST_READS = 3;

/** Compares with page 1 as it is before and after. */
async function probeDefault({ asker, pages, observe }: Probing): Promise<void> {
  const url = `${pages.url}?format=api`;
  const read = async () => {
    const { fields } = await pages.readAgain(1);
    return fields?.results;
  };
  for (let reads = 0; reads < MOST_READS; reads++) {
    const before = await read();
    const answer = await asker.ask({ url, headers: HEADERS, redirects: 0 }, (answer) => {
      refuseTransient(answer, Date.now());
      return answer;
    });
    // Otherwise it grew meanwhile.
    if (isDeepStrictEqual(before, await read())) {
      return observe("default", { url, difference: compareDefault(answer, before) });
    }
  }
}

function compareDefault({ status, body }: Answer, results: unknown): string | undefined {
  if (status !== 200) return `is answered ${status}`;
  const { value } = parseBody(body);
  if (!isObject(value)) return "is not a page";
  return isDeepStrictEqual(value.results, results) ? undefined : "has other records than page 1";
}

/** Statuses of whatever stands before the service, or of its patience; any other is an answer to the method. */
const FRONT_STATUSES = new Set([429, 502, 503, 504]);

async function send({ asker }: Probing, method: string, url: string): Promise<SeenAnswer> {
  const isWrite = WRITES.includes(method);
  const asked = {
    url,
    method,
    redirects: 0,
    headers: isWrite ? { ...HEADERS, "Content-Type": "application/json" } : HEADERS,
    ...(isWrite ? { body: "{}" } : {}),
  };
  const answer = await asker.ask(asked, (answer) => {
    if (FRONT_STATUSES.has(answer.status)) refuseTransient(answer, Date.now());
    return answer;
  });
  const { status, headers, body } = answer;
  return { url, name: method, status, headers, body: decodeBody(body) ?? "" };
}
