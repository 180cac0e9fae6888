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
      context.setDefaultTimeout(120_000);
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

/** @returns the problems of the pages of a context, one line each; the list grows during the visit */
async function watch(context: BrowserContext, origin: string): Promise<string[]> {
  const problems: string[] = [];
  const documents = new Set<string>();
  context.on("request", (request) => {
    if (!request.url().startsWith("data:") && new URL(request.url()).origin !== origin)
      problems.push(`request to another host: ${request.url()}`);
  });
  context.on("response", (response) => {
    if (!response.request().isNavigationRequest()) return;
    documents.add(response.url());
    if (isUnprotected(response)) problems.push(`no policy: ${response.url()}`);
  });
  context.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    // The browser cancels requests, for example for an icon, when it opens another page.
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

/** Whether it is a web page without a Content-Security-Policy. The browser sends no event for these pages. */
function isUnprotected(response: Response): boolean {
  const headers = response.headers();
  const isPage = headers["content-type"]?.startsWith("text/html") ?? false;
  return isPage && !headers["content-security-policy"]?.includes("default-src 'none'");
}

/** The browser logs every page with an error status. Tests check the status themselves. */
function isErrorPage(message: ConsoleMessage, documents: Set<string>): boolean {
  const isStatus = /^Failed to load resource: the server responded with a status of [45]/.test(
    message.text(),
  );
  return isStatus && documents.has(message.location().url);
}
