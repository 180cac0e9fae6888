import { expect } from "vitest";
import { type Page, TrafficRecord } from "../../src/records/record.ts";
import { compareNewestFirst } from "../records/sample.ts";

export const PATH = "/api/tf1/records/";

/** The Accept header of a browser that opens a page. */
export const CHROMIUM =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8";

/** A request, and what its response must have. */
export interface Exchange {
  /** The method and the target, such as `HEAD /docs`; the method is GET if only the target is given. */
  send: string;
  /** The headers of the request. In `if-none-match`, TAG stands for the entity-tag of the same target. */
  with?: Record<string, string>;
  /** The status; 200 by default. */
  status?: number;
  /** Some headers of the response; null if one must be missing. */
  headers?: Record<string, string | RegExp | null>;
  /** The body: its text, what its text must contain, or what its JSON must be. */
  body?: unknown;
  /** The page that the body must be. */
  page?: ExpectedPage;
  /** How many pages the collection must have to show this; by default the number of the page. */
  needs?: number;
}

interface ExpectedPage {
  number: number | "last";
  /** The query of links, in which PAGE stands for the page. */
  link?: string;
}

/** Sends a request, and follows no redirect. */
export type Send = (target: string, init: RequestInit) => Promise<Response>;

/** A service, and what is known about its collection. */
export interface Target {
  origin: string;
  /** Throws if the response is not as the OpenAPI document says. */
  fetch: Send;
  /** Whether static files are served too, as by the platform. */
  hasFiles: boolean;
  /** Records when the tests begin. A deployment may grow meanwhile. */
  count: number;
  /** The name of the load; empty if nothing was ever loaded. */
  load: string;
  /** The preferences of the deployment, if it has some. */
  prefer?: string | undefined;
  /** False if the deployment ends all faults. */
  hasFaults?: boolean;
  /** Newest first; undefined if nobody knows them. */
  records?: TrafficRecord[];
}

/** Sends requests one after the other, and compares each response with what is expected. */
export async function check(send: Send, ...exchanges: Exchange[]): Promise<void> {
  for (const exchange of exchanges) await checkResponse(await sendExchange(send, exchange), exchange);
}

/** Whether a collection has enough records to show an exchange. */
export function canShow({ count }: Target, { needs, page }: Exchange): boolean {
  const needed = needs ?? Number(page?.number);
  return !(needed > countPages(count) || (needs === 1 && count === 0));
}

/** Sends a request to a target, and compares the response with what is expected and known. */
export async function checkTarget(target: Target, exchange: Exchange): Promise<void> {
  const condition = exchange.with?.["if-none-match"];
  if (condition?.includes("TAG")) return checkCopy(target, exchange, condition);
  const response = await sendExchange(target.fetch, exchange);
  const text = await checkResponse(response, exchange);
  if (!exchange.page) return;
  checkPage(target, text, exchange.page);
  if (response.status === 200) checkSource(target, text, response.headers);
}

/** How often a test begins again because the collection of a deployment changed between two requests. */
const MOST_CHANGES = 10;

/** Sends a request on the condition that a page has changed. */
async function checkCopy(target: Target, exchange: Exchange, condition: string, changes = 0): Promise<void> {
  const path = exchange.send.replace(/^\w+ /, "");
  const readTag = async () => String((await target.fetch(path, {})).headers.get("etag"));
  const tag = await readTag();
  const headers = { "if-none-match": condition.replace("TAG", tag) };
  const response = await sendExchange(target.fetch, { ...exchange, with: { ...exchange.with, ...headers } });
  if (changes < MOST_CHANGES && target.records === undefined && (await readTag()) !== tag)
    return checkCopy(target, exchange, condition, changes + 1);
  await checkResponse(response, { ...exchange, headers: { ...exchange.headers, etag: tag } });
}

function sendExchange(send: Send, exchange: Exchange): Promise<Response> {
  const [method = "", target = ""] = exchange.send.includes(" ")
    ? exchange.send.split(" ")
    : ["GET", exchange.send];
  return send(target, { method, headers: exchange.with ?? {} });
}

async function checkResponse(response: Response, { status = 200, headers, body, send }: Exchange) {
  const text = await response.text();
  expect({ send, status: response.status, text }).toMatchObject({ status });
  for (const [name, expected] of Object.entries(headers ?? {}))
    if (expected instanceof RegExp) expect(response.headers.get(name), name).toMatch(expected);
    else expect(response.headers.get(name), name).toBe(expected);
  if (body instanceof RegExp) expect(text).toMatch(body);
  else if (typeof body === "string") expect(text).toBe(body);
  else if (body !== undefined) expect(JSON.parse(text)).toEqual(body);
  return text;
}

const FIELDS = Object.keys(TrafficRecord.shape);

/** Compares a page with the records that are known, or with what holds for the pages of any collection. */
function checkPage({ origin, records, ...target }: Target, text: string, expected: ExpectedPage): void {
  const page: Page = JSON.parse(text);
  expect(text, "compact JSON").toBe(JSON.stringify(page));
  const count = records ? target.count : page.count;
  const last = countPages(count);
  const number = expected.number === "last" ? last : expected.number;
  const { link = "format=api&page=PAGE" } = expected;
  const url = (page: number) => `${origin}${PATH}?${link.replace("PAGE", String(page))}`;
  const { results, ...envelope } = page;
  expect(envelope).toEqual({
    count,
    next: number < last ? url(number + 1) : null,
    previous: number > 1 ? url(number - 1) : null,
  });
  expect(Object.keys(page)).toEqual(["count", "next", "previous", "results"]);
  expect(results).toHaveLength(Math.min(15, count - 15 * (number - 1)));
  for (const record of results) expect(Object.keys(record)).toEqual(FIELDS);
  expect(results).toEqual(results.toSorted(compareNewestFirst));
  const known = records?.slice(15 * (number - 1), 15 * number);
  if (known) expect(results).toEqual(known);
}

/** A page that has records says where they come from. */
function checkSource({ origin }: Target, text: string, headers: Headers): void {
  const hasRecords = JSON.parse(text).count > 0;
  expect(headers.has("data-source")).toBe(hasRecords);
  expect(headers.get("link")).toBe(hasRecords ? `<${origin}/>; rel="describedby"` : null);
}

/** The pages of a collection, one of which is empty if it has no records. */
export function countPages(count: number): number {
  return Math.max(1, Math.ceil(count / 15));
}
