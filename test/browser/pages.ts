import type { BrowserContextOptions, Page } from "@playwright/test";
import { inject } from "vitest";
import { PATH } from "../support/exchange.ts";
import type { Visit } from "./visit.ts";

/** `seed` is the collection of data/seed. `extreme` has the longest ids and counts, and cameras with long names or markup. */
export type CollectionName = "seed" | "extreme";

/** The pages of the site. Add new pages here, so that appearance.browser.test.ts checks them. */
// biome-ignore format: a table of cases
export const SITE_PAGES = [
  { name: "home", path: "/", collection: "seed", status: 200 },
  { name: "home-extreme", path: "/", collection: "extreme", status: 200 },
  { name: "records", path: `${PATH}?page=3&prefer=delay=1`, collection: "seed", status: 200 },
  { name: "records-extreme", path: PATH, collection: "extreme", status: 200 },
  { name: "reference", path: "/docs", collection: "seed", status: 200 },
  { name: "fault", path: `${PATH}?page=3&prefer=rows=repeat,count=%2B1,next=skip,record=missing,grow=15/m,seed=4`, collection: "seed", status: 200 },
  { name: "error", path: `${PATH}?page=abc`, collection: "seed", status: 404 },
] as const;

type SitePage = (typeof SITE_PAGES)[number];

/** Visits a page of the site. */
export function openPage(visit: Visit, sitePage: SitePage, options?: BrowserContextOptions): Promise<Page> {
  const { path, collection, status } = sitePage;
  return visit(path, { ...options, origin: inject("origins")[collection], status });
}

/** Opens all details, even if only one of them can be open at a time. */
export function openDetails(page: Page): Promise<void> {
  return page.locator("details").evaluateAll((all) => {
    for (const details of all) details.removeAttribute("name");
    for (const details of all) details.setAttribute("open", "");
  });
}
