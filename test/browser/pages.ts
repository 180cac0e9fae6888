import type { Page } from "playwright-core";
import { expect } from "vitest";

/** A page of the site, to be looked at in every way. */
export interface SitePage {
  name: string;
  path: string;
  status: number;
  method?: string;
  /** What shows that a script has drawn it. */
  drawn?: string;
}

/** The pages of the site, with the seed loaded. A new page belongs here: looks.test.ts then looks at it. */
export const PAGES: SitePage[] = [
  { name: "landing", path: "/", status: 200 },
  { name: "records", path: "/api/tf1/records/", status: 200 },
  { name: "records-without-health", path: "/api/tf1/records/?page=last", status: 200 },
  { name: "reference", path: "/docs", status: 200, drawn: ".opblock" },
  { name: "invalid-page", path: "/api/tf1/records/?page=abc", status: 404 },
  { name: "method-not-allowed", path: "/api/tf1/records/", status: 405, method: "DELETE" },
];

/** The answer to a client, which a browser shows too. */
export const JSON_PAGE: SitePage = { name: "json", path: "/api/tf1/records/?format=json", status: 200 };

/** Opens a page of the site, with its method. */
export async function openPage(page: Page, { path, status, method = "GET", drawn }: SitePage): Promise<void> {
  if (method !== "GET") await page.route(path, (route) => route.continue({ method }), { times: 1 });
  const response = await page.goto(path);
  expect(response?.status()).toBe(status);
  if (drawn !== undefined) await page.locator(drawn).first().waitFor();
}

/** How people look at a page: the width of their window in pixels, and their colour scheme. */
const LOOKS = [
  [1280, "light"],
  [1280, "dark"],
  [390, "light"],
  [390, "dark"],
] as const;

/** Shows an open page in every look, one after the other. */
export async function eachLook(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  for (const [width, colorScheme] of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    // Scripts hear of it a frame later.
    await page.evaluate(
      () => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))),
    );
    await look(`${width}-${colorScheme}`);
  }
}
