import { Hono } from "hono";
import type { Env } from "../../env.ts";
import { methodNotAllowed } from "../../http/errors.ts";
import { PAGE_CACHING } from "../../http/headers.ts";
import { respondHtml } from "../../http/html.ts";
import { findOrigin, lastValue, negotiate, readQuery } from "../../http/request.ts";
import { cachedStore } from "../../store/open.ts";
import { summarise } from "./summary.ts";

const PATH = "/";

/** The landing page: what the service is and which records it has, as a web page or as JSON. */
export const landing = new Hono<{ Bindings: Env }>();

landing.get(PATH, async (c) => {
  c.header("Vary", "Accept");
  const representation = negotiate(lastValue(readQuery(c.req.url), "format"), c.req.header("Accept"));
  const stored = await cachedStore(c.env).statistics((work) => c.executionCtx.waitUntil(work));
  const summary = summarise(stored, findOrigin(c.req.url, c.env.PUBLIC_ORIGIN), c.env);
  const headers = { "Cache-Control": PAGE_CACHING };
  if (representation === "json") return c.json(summary, 200, headers);
  const { renderLanding } = await import("./landing-page.tsx");
  return respondHtml(c, await renderLanding(summary), 200, headers);
});

landing.all(PATH, (c) => {
  throw methodNotAllowed(c.req.method, "GET, HEAD");
});
