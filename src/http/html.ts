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
  return c.body(`<!doctype html>${await markup.toString()}`, status, { ...HTML_HEADERS, ...headers });
}
