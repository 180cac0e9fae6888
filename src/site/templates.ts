import { type Context, Hono } from "hono";
import type { Env } from "../env.ts";
import { methodNotAllowed } from "../http/errors.ts";
import { isCurrent } from "../http/headers.ts";
import { findOrigin } from "../http/request.ts";
import { DOCUMENT_PATH, PLACEHOLDER_ORIGIN, REFERENCE_PATH } from "./about.ts";
import { HTML_HEADERS } from "./web-layer.ts";

/** Templates change only with a deployment, so caches keep them for minutes; after that a copy costs only a 304. */
const TEMPLATE_CACHING = "public, max-age=300, stale-if-error=86400";

/** What the build has made of a template, with the origin of a deployment. */
interface FilledTemplate {
  origin: string;
  text: string;
  etag: string;
}

/** The OpenAPI document and the API reference. The build makes all of them except the origin (tools/build-assets.ts). */
export function createTemplates(): Hono<{ Bindings: Env }> {
  const templates = new Hono<{ Bindings: Env }>();
  serve(templates, DOCUMENT_PATH, DOCUMENT_PATH, { "Content-Type": "application/json" });
  serve(templates, REFERENCE_PATH, `${REFERENCE_PATH}.html`, HTML_HEADERS);
  templates.get(`${REFERENCE_PATH}/`, (c) => c.redirect(REFERENCE_PATH, 301));
  return templates;
}

/** @param file the path of the template among the assets, which clients cannot read (`run_worker_first` in wrangler.toml) */
function serve(
  templates: Hono<{ Bindings: Env }>,
  path: string,
  file: string,
  headers: Record<string, string>,
): void {
  /** The latest one, because most deployments have one origin. */
  let latest: FilledTemplate | undefined;
  templates.get(path, async (c) => {
    const origin = findOrigin(c.req.url, c.env.PUBLIC_ORIGIN);
    if (latest?.origin !== origin) latest = await fill(c, file, origin);
    const { text, etag } = latest;
    const caching = { ETag: etag, "Cache-Control": TEMPLATE_CACHING };
    if (isCurrent(c.req.header("If-None-Match"), etag)) return c.body(null, 304, caching);
    return c.body(text, 200, { ...headers, ...caching });
  });
  templates.all(path, (c) => {
    throw methodNotAllowed(c.req.method, "GET, HEAD");
  });
}

async function fill(c: Context<{ Bindings: Env }>, file: string, origin: string): Promise<FilledTemplate> {
  // The host has no meaning: the binding looks at the path only.
  const template = await c.env.ASSETS.fetch(`https://assets.invalid${file}`);
  if (!template.ok) throw new Error(`The asset ${file} is missing: status ${template.status}`);
  // A function, because `$` in a text has a meaning. No server accepts a Host with a character that HTML or JSON must escape.
  const text = (await template.text()).replaceAll(PLACEHOLDER_ORIGIN, () => origin);
  return { origin, text, etag: await createEtag(text) };
}

async function createEtag(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
  return `"${hex.slice(0, 16).join("")}"`;
}
