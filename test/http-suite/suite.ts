import { describe, expect, test } from "vitest";
import type { Page } from "../../src/records/record.ts";
import { listConditions, listInvalidPages, listOptions, listPages, listRefusals } from "./collection.ts";
import { CHROMIUM, canShow, checkTarget, countPages, type Exchange, PATH, type Target } from "./exchange.ts";
import { listFaults, listHealth } from "./operation.ts";
import { listFiles, listSite } from "./site.ts";

/** The exchanges that the service must pass with its collection. */
export function listExchanges(target: Target): [name: string, Exchange[]][] {
  const lists = {
    pages: listPages(target),
    "invalid pages": listInvalidPages(target),
    "refused requests": listRefusals(target),
    "OPTIONS and preflights": listOptions(),
    "conditional requests": listConditions(),
    "the site": listSite(target),
    health: listHealth(target),
    ...(target.hasFaults !== false && { faults: listFaults() }),
    ...(target.hasFiles && { "static files": listFiles() }),
  };
  return Object.entries(lists).map(([name, exchanges]) => [
    name,
    exchanges.filter((exchange) => canShow(target, exchange)),
  ]);
}

/** Tests a service over HTTP. The tests only read. */
export function describeService(target: Target): void {
  for (const [name, exchanges] of listExchanges(target))
    describe(name, () => {
      for (const exchange of exchanges) test(writeTitle(exchange), () => checkTarget(target, exchange));
    });
  describeState(target);
  if (target.hasFiles) describeAssets(target);
}

function writeTitle({ send, with: headers = {}, status = 200 }: Exchange): string {
  const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[send, ...sent].join(", ")} -> ${status}`;
}

function describeState({ count, fetch }: Target): void {
  const pages = countPages(count);
  if (pages < 2) return;
  const read = async (query: string) => {
    const response = await fetch(PATH + query, {});
    return { page: (await response.json()) as Page, etag: response.headers.get("etag") };
  };

  test("pages have each record once, other entity-tags, and links to each other", async ({ skip }) => {
    const numbers = [...new Set([1, 2, Math.ceil(pages / 2), pages - 1, pages])];
    const found = [];
    for (const number of numbers) found.push(await read(`?page=${number}`));
    skip(new Set(found.map(({ page }) => page.count)).size > 1, "the collection changed meanwhile");
    const ids = found.flatMap(({ page }) => page.results.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(found.map(({ etag }) => etag)).size).toBe(numbers.length);
    const [first, second] = found.map(({ page }) => page);
    expect((await read(new URL(String(first?.next)).search)).page).toEqual(second);
    expect((await read(new URL(String(second?.previous)).search)).page).toEqual(first);
  });
}

function describeAssets({ fetch }: Target): void {
  test.each(["/", "/docs", PATH])("the web page %s loads files that exist, for a year", async (path) => {
    const page = await (await fetch(path, { headers: { accept: CHROMIUM } })).text();
    const files = new Set(page.match(/(?<=(?:href|src)=")\/assets\/[^"]+/g));
    expect(files.size).toBeGreaterThan(1);
    for (const file of files) {
      expect(file).toMatch(/^\/assets\/[a-z-]+-[0-9A-Z]{8}\.(css|js|svg)$/);
      const response = await fetch(file, {});
      expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
      expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      await response.text();
    }
  });
}
