import { type Context, Hono } from "hono";
import { DOCUMENT_PATH, PLACEHOLDER_ORIGIN, REFERENCE_PATH } from "../about.ts";
import type { Env } from "../env.ts";
import { refuseMethod } from "../http/errors.ts";
import { isCurrent } from "../http/headers.ts";
import { findOrigin } from "../http/request.ts";
import { escapeText } from "./jsx-runtime.ts";
import { HTML_HEADERS } from "./web-layer.ts";

/** Templates change only with a deployment, so caches keep them for minutes; after that a copy costs only a 304. */
const TEMPLATE_CACHING = "public, max-age=300, stale-if-error=86400";

interface Template {
  path: string;
  type: "html" | "json";
  headers: Record<string, string>;
  /** Escapes the origin: a Host can contain quotes and `&`. */
  encode(origin: string): string;
}

/** What the build writes for each setting of `FAULTS` (tools/build-assets.ts): the OpenAPI document and the API reference, without the origin. */
const TEMPLATES: Template[] = [
  {
    path: DOCUMENT_PATH,
    type: "json",
    headers: { "Content-Type": "application/json" },
    encode: (origin) => JSON.stringify(origin).slice(1, -1),
  },
  {
    path: REFERENCE_PATH,
    type: "html",
    headers: HTML_HEADERS,
    // The commands of the page have URLs between single quotes.
    encode: (origin) => escapeText(origin.replaceAll("'", "%27")),
  },
];

export function createTemplates(): Hono<{ Bindings: Env }> {
  const templates = new Hono<{ Bindings: Env }>();
  for (const template of TEMPLATES) serve(templates, template);
  templates.get(`${REFERENCE_PATH}/`, (c) => c.redirect(REFERENCE_PATH, 301));
  return templates;
}

function serve(templates: Hono<{ Bindings: Env }>, template: Template): void {
  const { path, headers } = template;
  /** The latest text, because most deployments have one origin and one setting. */
  let latest: { key: string; text: string; etag: string } | undefined;
  templates.get(path, async (c) => {
    const origin = findOrigin(c.req.url, c.env.PUBLIC_ORIGIN);
    const key = `${c.env.FAULTS} ${origin}`;
    if (latest?.key !== key) latest = { key, ...(await fill(c, template, origin)) };
    const { text, etag } = latest;
    const caching = { ETag: etag, "Cache-Control": TEMPLATE_CACHING };
    if (isCurrent(c.req.header("If-None-Match"), etag)) return c.body(null, 304, caching);
    return c.body(text, 200, { ...headers, ...caching });
  });
  templates.all(path, refuseMethod);
}

async function fill({ env }: Context<{ Bindings: Env }>, { type, encode }: Template, origin: string) {
  // Clients cannot read this path (`run_worker_first` in wrangler.toml).
  const file = `${REFERENCE_PATH}-${env.FAULTS ?? "on"}.${type}`;
  // The host has no meaning: the binding looks at the path only.
  const template = await env.ASSETS.fetch(`https://assets.invalid${file}`);
  if (!template.ok) throw new Error(`The asset ${file} is missing: status ${template.status}`);
  // A function, because `$` in a text has a meaning.
  const text = (await template.text()).replaceAll(PLACEHOLDER_ORIGIN, () => encode(origin));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hex = Array.from(new Uint8Array(digest, 0, 16), (byte) => byte.toString(16).padStart(2, "0"));
  return { text, etag: `"${hex.join("")}"` };
}
