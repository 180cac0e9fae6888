import { Hono } from "hono";
import type { Env } from "../../env.ts";
import { PAGE_CACHING } from "../../http/caching.ts";
import { methodNotAllowed } from "../../http/errors.ts";
import { answerHtml, writePolicy } from "../../http/html.ts";

/** The path of the API reference. */
export const REFERENCE_PATH = "/docs";

/** The interactive API reference. */
export const reference = new Hono<{ Bindings: Env }>();

reference.get(REFERENCE_PATH, async (c) => {
  const { renderReference } = await import("./page.tsx");
  return answerHtml(c, await renderReference(), 200, {
    "Cache-Control": PAGE_CACHING,
    // The package that draws the operations writes style attributes.
    "Content-Security-Policy": writePolicy({ styles: "'self' 'unsafe-inline'" }),
  });
});

reference.all(REFERENCE_PATH, (c) => {
  throw methodNotAllowed(c.req.method, "GET, HEAD");
});
