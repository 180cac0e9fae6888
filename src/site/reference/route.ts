import { Hono } from "hono";
import type { Env } from "../../env.ts";
import { methodNotAllowed } from "../../http/errors.ts";
import { PAGE_CACHING } from "../../http/headers.ts";
import { respondHtml, writePolicy } from "../../http/html.ts";
import { REFERENCE_PATH } from "../about.ts";

/** The interactive API reference. */
export const reference = new Hono<{ Bindings: Env }>();

reference.get(REFERENCE_PATH, async (c) => {
  const { renderReference } = await import("./reference-page.tsx");
  return respondHtml(c, await renderReference(), 200, {
    "Cache-Control": PAGE_CACHING,
    // Swagger UI uses style attributes.
    "Content-Security-Policy": writePolicy({ styles: "'self' 'unsafe-inline'" }),
  });
});

reference.all(REFERENCE_PATH, (c) => {
  throw methodNotAllowed(c.req.method, "GET, HEAD");
});
