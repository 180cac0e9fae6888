import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/**
 * The Content-Security-Policy of every web page: it may load only the site's own scripts, styles and images, and nothing
 * inline. So even if foreign text became markup by mistake, it could do nothing (Content Security Policy, level 3).
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The headers of every web page. */
export const HTML_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": POLICY,
  "Referrer-Policy": "same-origin",
};

/**
 * Responds with a web page.
 * @param html the document without `<!doctype html>`
 * @param headers added to the headers of every page, or replacing them
 */
export function respondHtml(
  c: Context,
  html: string,
  status: ContentfulStatusCode,
  headers: Record<string, string> = {},
): Response {
  return c.body(`<!doctype html>${html}`, status, { ...HTML_HEADERS, ...headers });
}
