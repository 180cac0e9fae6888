import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
  type Response,
} from "@playwright/test";
import { afterAll, test as base, beforeAll, expect, inject } from "vitest";

export { expect } from "vitest";

interface VisitOptions extends BrowserContextOptions {
  /** The origin of the service; by default that of the sample data. */
  origin?: string;
  /** The status of the page, by default 200. */
  status?: number;
  /** The expected problems; by default none. */
  problems?: unknown;
}

/** Opens a page in a new browser context. Paths are relative to the origin of the service. */
export type Visit = (path: string, options?: VisitOptions) => Promise<Page>;

const endpoint = inject("browser");

let browser: Browser | undefined;
beforeAll(async () => {
  if (endpoint !== undefined) browser = await chromium.connect(endpoint);
});
afterAll(() => browser?.close());

/**
 * A test in the browser. The test fails at its end if one of its pages sent a request to a different host, logged an error or a warning,
 * failed to load a file, or opened a dialog.
 */
export const test = base
  .extend(
    "visit",
    ({ onTestFinished }): Visit =>
      async (path, { origin = inject("origins").seed, status = 200, problems = [], ...options } = {}) => {
        if (!browser) throw new Error("no browser");
        const context = await browser.newContext({ baseURL: origin, ...options });
        context.setDefaultTimeout(120_000);
        const found = await watch(context, origin);
        onTestFinished(async () => {
          await context.close();
          expect(found).toEqual(problems);
        });
        const page = await context.newPage();
        expect((await page.goto(path))?.status()).toBe(status);
        return page;
      },
  )
  .skipIf(endpoint === undefined);

/** Performs an action that opens a new page, and waits until the new page is loaded. */
export async function follow(page: Page, act: () => Promise<unknown>): Promise<Response> {
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.request().isNavigationRequest()),
    page.waitForEvent("load"),
    act(),
  ]);
  return response;
}

/** @returns the problems of the pages of a context, one line each; the list grows during the visit */
async function watch(context: BrowserContext, origin: string): Promise<string[]> {
  const problems: string[] = [];
  const documents = new Set<string>();
  context.on("request", (request) => {
    if (!request.url().startsWith("data:") && new URL(request.url()).origin !== origin)
      problems.push(`request to a different host: ${request.url()}`);
  });
  context.on("response", (response) => {
    if (response.request().isNavigationRequest()) documents.add(response.url());
  });
  context.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    // The browser cancels requests, for example for an icon, when it opens a page.
    if (reason !== "net::ERR_ABORTED") problems.push(`failed request: ${request.url()}: ${reason}`);
  });
  context.on("weberror", (error) => problems.push(`error: ${error.error()}`));
  context.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("console", (message) => {
    if (["error", "warning", "assert"].includes(message.type()) && !isErrorPage(message, documents))
      problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
      console.error(`violates ${effectiveDirective}: ${blockedURI}`),
    );
  });
  return problems;
}

/** The browser logs every page with an error status. The tests check the status. */
function isErrorPage(message: ConsoleMessage, documents: Set<string>): boolean {
  const isStatus = /^Failed to load resource: the server .* with a status of [45]/.test(message.text());
  return isStatus && documents.has(message.location().url);
}
