import { Hono } from "hono";
import type { Env } from "../../env.ts";
import { PAGE_CACHING } from "../../http/caching.ts";
import { methodNotAllowed } from "../../http/errors.ts";
import { answerHtml } from "../../http/html.ts";
import { negotiate } from "../../http/negotiation.ts";
import { findOrigin } from "../../http/origin.ts";
import { lastValue, readQuery } from "../../http/query.ts";
import { cachedStore } from "../../store/open.ts";
import { gatherFacts } from "./facts.ts";

const PATH = "/";

/** What the service is and what is loaded, as a web page or as JSON. */
export const landing = new Hono<{ Bindings: Env }>();

landing.get(PATH, async (c) => {
  c.header("Vary", "Accept");
  const representation = negotiate(lastValue(readQuery(c.req.url), "format"), c.req.header("Accept"));
  const stored = await cachedStore(c.env).statistics((work) => c.executionCtx.waitUntil(work));
  const facts = gatherFacts(stored, findOrigin(c.req.url, c.env.PUBLIC_ORIGIN), c.env);
  const headers = { "Cache-Control": PAGE_CACHING };
  if (representation === "json") return c.json(facts, 200, headers);
  const { renderLanding } = await import("./page.tsx");
  return answerHtml(c, await renderLanding(facts), 200, headers);
});

landing.all(PATH, (c) => {
  throw methodNotAllowed(c.req.method, "GET, HEAD");
});
