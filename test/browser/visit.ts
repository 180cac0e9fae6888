import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Response,
} from "@playwright/test";
import { afterAll, test as base, beforeAll, expect, inject } from "vitest";
import { watch } from "./watch.ts";

export { expect } from "vitest";

interface VisitOptions extends BrowserContextOptions {
  /** The origin of the service; by default that of the worker that serves the seed. */
  origin?: string;
  /** The expected problems; by default none. */
  problems?: unknown;
}

/** Opens an empty page in a new browser context. Paths are relative to the origin of the service. */
export type Visit = (options?: VisitOptions) => Promise<Page>;

const endpoint = inject("browser");

let browser: Browser | undefined;
beforeAll(async () => {
  if (endpoint !== undefined) browser = await chromium.connect(endpoint);
});
afterAll(() => browser?.close());

/**
 * A test in the browser. At its end, it fails if one of its pages has sent a request to another host, has logged an error
 * or a warning, could not load something, or has opened a dialog.
 */
export const test = base
  .extend("visit", async ({ onTestFinished }): Promise<Visit> => {
    const visits: (() => Promise<void>)[] = [];
    onTestFinished(async () => {
      for (const end of visits) await end();
    });
    return async ({ origin = inject("origin"), problems = [], ...options } = {}) => {
      if (!browser) throw new Error("no browser");
      const context = await browser.newContext({ baseURL: origin, ...options });
      context.setDefaultTimeout(20_000);
      const found = await watch(context, origin);
      visits.push(async () => {
        await context.close();
        expect(found).toEqual(problems);
      });
      return context.newPage();
    };
  })
  .skipIf(endpoint === undefined);

/** Does something on the current page that opens a new page, and waits until the new page is loaded. */
export async function follow(page: Page, act: () => Promise<unknown>): Promise<Response> {
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.request().isNavigationRequest()),
    page.waitForEvent("load"),
    act(),
  ]);
  return response;
}
