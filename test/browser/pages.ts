import type { Page } from "@playwright/test";
import { expect, inject } from "vitest";
import type { Collection } from "./setup.ts";

/** A page of the site that the tests look at. */
export interface SitePage {
  name: string;
  path: string;
  status: number;
  method?: string;
  /** The Accept header, if it is not the one of the browser. */
  accept?: string;
  /** The collection, if it is not the seed. */
  collection?: Collection;
}

const RECORDS = "/api/tf1/records/";

/** The pages of the site. Add new pages here, so that looks.test.ts checks them. */
export const PAGES: SitePage[] = [
  { name: "landing", path: "/", status: 200 },
  { name: "landing-decade", path: "/", status: 200, collection: "decade" },
  { name: "landing-day", path: "/", status: 200, collection: "day" },
  { name: "landing-one", path: "/", status: 200, collection: "one" },
  { name: "landing-empty", path: "/", status: 200, collection: "empty" },
  { name: "records", path: RECORDS, status: 200 },
  { name: "records-old", path: RECORDS, status: 200, collection: "old" },
  { name: "records-empty", path: RECORDS, status: 200, collection: "empty" },
  { name: "records-banners", path: `${RECORDS}?prefer=delay=1&page=3`, status: 200 },
  { name: "reference", path: "/docs", status: 200 },
  { name: "invalid-page", path: `${RECORDS}?page=abc`, status: 404 },
  { name: "past-the-end", path: `${RECORDS}?page=9999`, status: 404 },
  { name: "unknown-format", path: `${RECORDS}?format=xml`, status: 404 },
  { name: "method-not-allowed", path: RECORDS, status: 405, method: "DELETE" },
  { name: "not-acceptable", path: RECORDS, status: 406, accept: "application/xhtml+xml" },
  { name: "error-on-request", path: `${RECORDS}?page=3&prefer=code=429`, status: 429 },
  { name: "unavailable", path: RECORDS, status: 503, collection: "failing" },
];

/** The origin of the worker that serves a page. */
export function findOrigin({ collection }: SitePage): string {
  return collection === undefined ? inject("origin") : inject("others")[collection];
}

/** The response to a client, which a browser shows too. */
export const JSON_PAGE: SitePage = { name: "json", path: "/api/tf1/records/?format=json", status: 200 };

/** Opens a page of the site, with its method and its Accept header. */
export async function openPage(page: Page, sitePage: SitePage): Promise<void> {
  const { path, status, method = "GET", accept } = sitePage;
  if (method !== "GET" || accept !== undefined)
    await page.route(
      path,
      (route) => {
        const headers = { ...route.request().headers(), ...(accept && { accept }) };
        return route.continue({ method, headers });
      },
      { times: 1 },
    );
  const response = await page.goto(path);
  expect(response?.status()).toBe(status);
}

/** Unfolds everything that is folded, also what only one of may be open at a time. */
export function openFolded(page: Page): Promise<void> {
  return page.locator("details").evaluateAll((all) => {
    for (const details of all) details.removeAttribute("name");
    for (const details of all) details.setAttribute("open", "");
  });
}

/** Shows an open page in the ways in which people look at it: windows of four widths, in pixels, light and dark. */
export async function eachLook(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  for (const width of [1920, 1280, 768, 360])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await look(`${width}-${colorScheme}`);
    }
}

/** Takes a screenshot for people to look at, if the environment variable SCREENSHOTS is set. Git ignores it. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  await page.screenshot({ path: `test-output/screenshots/${name}.png`, fullPage: true });
}
