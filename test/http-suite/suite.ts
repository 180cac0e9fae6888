import { describe, expect, test } from "vitest";
import { getLastPage } from "../../src/records/page.ts";
import { type Page, TrafficRecord } from "../../src/records/schema.ts";
import { CHROMIUM, checkExchange, type Exchange, PATH, type Target } from "../support/exchange.ts";
import { CONDITIONAL_REQUESTS, listPages, OPTIONS_REQUESTS } from "./collection-requests.ts";
import { listInvalidPages, listRejectedRequests } from "./rejected-requests.ts";
import { listFaults, listFiles, listHealth, listSite } from "./site-requests.ts";

/** Lists the exchanges for a service and its collection. */
export function listExchanges(target: Target): [name: string, Exchange[]][] {
  return Object.entries({
    pages: listPages(target),
    "invalid pages": listInvalidPages(target),
    "rejected requests": listRejectedRequests(),
    "OPTIONS and preflights": OPTIONS_REQUESTS,
    "conditional requests": CONDITIONAL_REQUESTS,
    "the site": listSite(target),
    health: listHealth(target),
    faults: listFaults(),
    ...(target.hasFiles && { "static files": listFiles() }),
  });
}

/** Tests a service over HTTP. The tests only read. */
export function describeHttpSuite(target: Target): void {
  for (const [name, exchanges] of listExchanges(target))
    describe(name, () => {
      for (const exchange of exchanges) test(formatTitle(exchange), () => checkTarget(target, exchange));
    });
  if (getLastPage(target.records.length) > 1) testPages(target);
  if (target.hasFiles) testAssets(target);
}

function formatTitle({ name, request, requestHeaders = {}, status = 200 }: Exchange): string {
  const headers = Object.entries(requestHeaders).map(([header, value]) => `${header}: ${value}`);
  const shown = request.replace(/^(.{100}).+/, "$1...");
  const title = `${[shown, ...headers].join(", ")} -> ${status}`;
  return name === undefined ? title : `${name}: ${title}`;
}

/** Sends a request to a target, and compares the response with the expected response and with the collection. */
async function checkTarget({ origin, records, fetch }: Target, exchange: Exchange): Promise<void> {
  const [response, text] = await checkExchange(fetch, exchange);
  const { page: number, links = "format=api&page=PAGE" } = exchange;
  if (number === undefined) return;
  const page: Page = JSON.parse(text);
  expect(text, "compact JSON").toBe(JSON.stringify(page));
  const link = records.length > 0 ? '</>; rel="describedby"' : null;
  expect([response.headers.get("link"), response.headers.has("data-source")]).toEqual([link, link !== null]);
  const last = getLastPage(records.length);
  const url = (page: number) => `${origin}${PATH}?${links.replace("PAGE", String(page))}`;
  const { results, ...envelope } = page;
  const next = number < last ? url(number + 1) : null;
  expect(envelope).toEqual({ count: records.length, next, previous: number > 1 ? url(number - 1) : null });
  expect(Object.keys(page)).toEqual(["count", "next", "previous", "results"]);
  expect(results).toEqual(records.slice(15 * (number - 1), 15 * number));
  for (const record of results) expect(Object.keys(record)).toEqual(Object.keys(TrafficRecord.shape));
}

function testPages({ records, fetch }: Target): void {
  const pages = getLastPage(records.length);
  const read = async (query: string, headers = {}) => {
    const response = await fetch(PATH + query, { headers });
    const text = await response.text();
    return { status: response.status, etag: response.headers.get("etag"), page: JSON.parse(text || "null") };
  };

  test("pages have each record once, different entity-tags, and links to each other", async () => {
    const numbers = [...new Set([1, 2, Math.ceil(pages / 2), pages - 1, pages])];
    const found = [];
    for (const number of numbers) found.push(await read(`?page=${number}`));
    const [first, second] = found;
    const next = await read(new URL(first?.page.next).search);
    const previous = await read(new URL(second?.page.previous).search);
    const confirmed = await read("", { "if-none-match": `"other", W/"a,b" ,W/${first?.etag}` });
    const tags = new Set(found.map(({ etag }) => etag));
    const ids = found.flatMap(({ page }) => page.results.map(({ id }: TrafficRecord) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(tags.size).toBe(numbers.length);
    expect([next, previous]).toEqual([second, first]);
    expect(confirmed).toEqual({ status: 304, etag: first?.etag, page: null });
  });
}

function testAssets({ fetch }: Target): void {
  test.each(["/", "/docs", PATH])("the files of %s exist", async (path) => {
    const page = await (await fetch(path, { headers: { accept: CHROMIUM } })).text();
    const files = new Set(page.match(/(?<=(?:href|src)=")\/assets\/[^"]+/g));
    expect(files.size).toBeGreaterThan(1);
    for (const file of files) {
      const response = await fetch(file, {});
      expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
      await response.text();
    }
  });
}
