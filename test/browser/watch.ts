import type { BrowserContext, ConsoleMessage, Response } from "@playwright/test";

/**
 * Watches the pages of a browser context.
 * @param origin the only origin to which the pages may send requests
 * @returns the problems, one line each; the list grows during the visit
 */
export async function watch(context: BrowserContext, origin: string): Promise<string[]> {
  const problems: string[] = [];
  const documents = new Set<string>();
  context.on("request", (request) => {
    if (!request.url().startsWith("data:") && new URL(request.url()).origin !== origin)
      problems.push(`request to another host: ${request.url()}`);
  });
  context.on("response", (response) => {
    if (!response.request().isNavigationRequest()) return;
    documents.add(response.url());
    problems.push(...findUnprotected(response));
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
    if (isProblem(message) && !isErrorPage(message, documents))
      problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
      console.error(`violates ${effectiveDirective}: ${blockedURI}`),
    );
  });
  return problems;
}

/** Finds web pages without a Content-Security-Policy. The browser sends no event for these pages. */
function findUnprotected(response: Response): string[] {
  const headers = response.headers();
  if (!headers["content-type"]?.startsWith("text/html")) return [];
  if (headers["content-security-policy"]?.includes("default-src 'none'")) return [];
  return [`no policy: ${response.url()}`];
}

function isProblem(message: ConsoleMessage): boolean {
  return ["error", "warning", "assert"].includes(message.type());
}

/** The browser logs every page with an error status. Tests check the status themselves. */
function isErrorPage(message: ConsoleMessage, documents: Set<string>): boolean {
  return (
    /^Failed to load resource: the server responded with a status of [45]/.test(message.text()) &&
    documents.has(message.location().url)
  );
}
