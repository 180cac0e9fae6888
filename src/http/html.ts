import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/**
 * What a page may load: the site's own scripts, styles and pictures, and nothing that stands in the page itself, so
 * that text which got into it as markup could do nothing (Content Security Policy, level 3).
 * @param styles sources of styles, where these are not enough
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

/** A document that hono/jsx made, everything in it escaped. */
export interface Markup {
  toString(): string | Promise<string>;
}

/**
 * Answers with a web page.
 * @param headers besides those of every page, or in their place
 */
export async function answerHtml(
  c: Context,
  markup: Markup,
  status: ContentfulStatusCode,
  headers: Record<string, string> = {},
): Promise<Response> {
  return c.body(`<!doctype html>${await markup.toString()}`, status, { ...HEADERS, ...headers });
}
