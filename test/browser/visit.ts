import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Response,
} from "playwright-core";
import { afterAll, test as base, beforeAll, expect, inject } from "vitest";
import { watch } from "./watch.ts";

export { expect } from "vitest";

interface VisitOptions extends BrowserContextOptions {
  /** Of the service; by default the one that serves the seed. */
  origin?: string;
  /** What will be wrong with it; by default nothing. */
  problems?: unknown;
}

/** Opens an empty page of a new visitor, who has been nowhere before. Paths are those of the service. */
export type Visit = (options?: VisitOptions) => Promise<Page>;

const endpoint = inject("browser");

let browser: Browser | undefined;
beforeAll(async () => {
  if (endpoint !== undefined) browser = await chromium.connect(endpoint);
});
afterAll(() => browser?.close());

/**
 * A test in the browser. When it ends, none of its pages may have asked another host for anything, met an error or a
 * warning, failed to load something, or opened a dialog.
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

/** Goes to a page by doing something in the current one, and waits until the new one is there. */
export async function follow(page: Page, act: () => Promise<unknown>): Promise<Response> {
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.request().isNavigationRequest()),
    page.waitForEvent("load"),
    act(),
  ]);
  return response;
}
