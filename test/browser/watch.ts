import type { BrowserContext, ConsoleMessage, Response } from "playwright-core";

/**
 * Watches all that a visitor's pages do.
 * @param origin the only one that they may ask
 * @returns what should not be, a line each, growing as the visit goes on
 */
export async function watch(context: BrowserContext, origin: string): Promise<string[]> {
  const problems: string[] = [];
  const documents = new Set<string>();
  context.on("request", (request) => {
    if (!request.url().startsWith("data:") && new URL(request.url()).origin !== origin)
      problems.push(`asks another host: ${request.url()}`);
  });
  context.on("response", (response) => {
    if (!response.request().isNavigationRequest()) return;
    documents.add(response.url());
    problems.push(...findUnprotected(response));
  });
  context.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    // The browser itself gives up what it still loads, an icon say, when it goes to another page.
    if (reason !== "net::ERR_ABORTED") problems.push(`fails: ${request.url()}: ${reason}`);
  });
  context.on("weberror", (error) => problems.push(`throws: ${error.error()}`));
  context.on("dialog", (dialog) => {
    problems.push(`opens a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("console", (message) => {
    if (isComplaint(message) && !isErrorPage(message, documents))
      problems.push(`complains: ${message.text()} (${message.location().url})`);
  });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
      console.error(`violates ${effectiveDirective}: ${blockedURI}`),
    );
  });
  return problems;
}

/** Web pages come with a policy of what they may load; without scripts there would be no event that tells. */
function findUnprotected(response: Response): string[] {
  const headers = response.headers();
  if (!headers["content-type"]?.startsWith("text/html")) return [];
  if (headers["content-security-policy"]?.includes("default-src 'none'")) return [];
  return [`has no policy: ${response.url()}`];
}

function isComplaint(message: ConsoleMessage): boolean {
  return ["error", "warning", "assert"].includes(message.type());
}

/** The browser itself reports a page whose status is an error; tests look at the status. */
function isErrorPage(message: ConsoleMessage, documents: Set<string>): boolean {
  return (
    /^Failed to load resource: the server responded with a status of [45]/.test(message.text()) &&
    documents.has(message.location().url)
  );
}
