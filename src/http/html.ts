import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/**
 * The Content-Security-Policy of a web page: it may load only the site's own scripts, styles and images, and nothing
 * inline. So even if foreign text became markup by mistake, it could do nothing (Content Security Policy, level 3).
 * @param styles the allowed sources of styles
 */
export function writePolicy({ styles = "'self'" } = {}): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The headers of every web page. */
const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": writePolicy(),
  "Referrer-Policy": "same-origin",
};

/** A document made by hono/jsx, which escapes everything in it. */
export interface Markup {
  toString(): string | Promise<string>;
}

/**
 * Responds with a web page.
 * @param headers added to the headers of every page, or replacing them
 */
export async function respondHtml(
  c: Context,
  markup: Markup,
  status: ContentfulStatusCode,
  headers: Record<string, string> = {},
): Promise<Response> {
  return c.body(`<!doctype html>${await markup.toString()}`, status, { ...HEADERS, ...headers });
}
