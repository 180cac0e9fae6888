import type { BrowserContextOptions, Page } from "@playwright/test";
import { expect, inject } from "vitest";
import type { Visit } from "./visit.ts";

/** The collections in addition to the seed. */
export type CollectionName = "empty" | "one" | "day" | "decade" | "extreme" | "failing";

/** A page of the site that the tests check. */
export interface SitePage {
  name: string;
  path: string;
  status?: number;
  method?: string;
  /** The collection, if it is not the seed. */
  collection?: CollectionName;
}

const RECORDS = "/api/tf1/records/";

/** The pages of the site. Add new pages here, so that appearance.test.ts checks them. */
export const SITE_PAGES: SitePage[] = [
  { name: "landing", path: "/" },
  { name: "landing-decade", path: "/", collection: "decade" },
  { name: "landing-day", path: "/", collection: "day" },
  { name: "landing-one", path: "/", collection: "one" },
  { name: "landing-empty", path: "/", collection: "empty" },
  { name: "landing-extreme", path: "/", collection: "extreme" },
  { name: "records", path: RECORDS },
  { name: "records-jump", path: "/go?date=2020-02-29" },
  { name: "records-extreme", path: RECORDS, collection: "extreme" },
  { name: "records-empty", path: RECORDS, collection: "empty" },
  { name: "records-cut", path: `${RECORDS}?page=2&prefer=body=cut` },
  { name: "records-banners", path: `${RECORDS}?prefer=delay=1&page=3` },
  { name: "reference", path: "/docs" },
  { name: "invalid-page", path: `${RECORDS}?page=abc`, status: 404 },
  { name: "past-the-end", path: `${RECORDS}?page=9999`, status: 404 },
  { name: "unknown-format", path: `${RECORDS}?format=xml`, status: 404 },
  { name: "method-not-allowed", path: RECORDS, status: 405, method: "DELETE" },
  { name: "error-on-request", path: `${RECORDS}?page=3&prefer=code=429`, status: 429 },
  { name: "unavailable", path: RECORDS, status: 503, collection: "failing" },
];

/** The origin of the worker that serves a page. */
export function getServerOrigin({ collection }: SitePage): string {
  return collection === undefined ? inject("origin") : inject("collections")[collection];
}

/** Visits a page of the site, with its method. */
export async function openPage(
  visit: Visit,
  sitePage: SitePage,
  options?: BrowserContextOptions,
): Promise<Page> {
  const { path, status = 200, method = "GET" } = sitePage;
  const page = await visit({ ...options, origin: getServerOrigin(sitePage) });
  if (method !== "GET") await page.route(path, (route) => route.continue({ method }), { times: 1 });
  const response = await page.goto(path);
  expect(response?.status()).toBe(status);
  return page;
}

/** Opens all details, even if only one of them can be open at a time. */
export function openDetails(page: Page): Promise<void> {
  return page.locator("details").evaluateAll((all) => {
    for (const details of all) details.removeAttribute("name");
    for (const details of all) details.setAttribute("open", "");
  });
}
