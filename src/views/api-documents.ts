import { Hono } from "hono";
import type { AppContext, AppEnv } from "../bindings.ts";
import { rejectMethod } from "../http/errors.ts";
import { createDigest, matchesETag } from "../http/headers.ts";
import { getOrigin } from "../http/request.ts";
import { HTML_HEADERS } from "./html-middleware.ts";
import { escapeText } from "./jsx-runtime.ts";
import { OPENAPI_PATH, PLACEHOLDER_ORIGIN, REFERENCE_PATH } from "./site.ts";

/** Templates only change with a deployment, so caches may store them for minutes. */
const TEMPLATE_CACHE_CONTROL = "public, max-age=300, stale-if-error=86400";

/** Creates the routes of the OpenAPI document and the API reference. The build renders both without the origin (tools/build-assets.ts). */
export function createApiDocuments(): Hono<AppEnv> {
  const documents = new Hono<AppEnv>();
  // Escape the origin, because a `Host` can contain quotes and `&`. In a curl command, a single quote would end the quoted URL.
  const toJson = (origin: string) => JSON.stringify(origin).slice(1, -1);
  const toHtml = (origin: string) => escapeText(origin.replaceAll("'", "%27"));
  documents.get(OPENAPI_PATH, serve("json", { "Content-Type": "application/json" }, toJson));
  documents.get(REFERENCE_PATH, serve("html", HTML_HEADERS, toHtml));
  documents.get(`${REFERENCE_PATH}/`, (c) => c.redirect(REFERENCE_PATH, 301));
  for (const path of [OPENAPI_PATH, REFERENCE_PATH]) documents.all(path, rejectMethod);
  return documents;
}

/** @param encode Escapes the origin for the format of the template */
function serve(type: "json" | "html", headers: Record<string, string>, encode: (origin: string) => string) {
  /** The latest document. Most deployments have one origin. */
  let latest: { key: string; text: string; etag: string } | undefined;
  return async (c: AppContext) => {
    const origin = getOrigin(c.req.url, c.env.PUBLIC_ORIGIN);
    // Clients cannot read this asset (`run_worker_first` in wrangler.toml).
    const file = `${REFERENCE_PATH}-template.${type}`;
    const key = `${file} ${origin}`;
    if (latest?.key !== key) latest = { key, ...(await fillTemplate(c, file, encode(origin))) };
    const { text, etag } = latest;
    const caching = { ETag: etag, "Cache-Control": TEMPLATE_CACHE_CONTROL };
    if (matchesETag(c.req.header("If-None-Match"), etag)) return c.body(null, 304, caching);
    return c.body(text, 200, { ...headers, ...caching });
  };
}

async function fillTemplate({ env }: AppContext, file: string, origin: string) {
  if (!env.ASSETS) throw new Error("[assets] in wrangler.toml does not bind ASSETS");
  // The host in this URL is arbitrary, because the binding ignores the host.
  const template = await env.ASSETS.fetch(`https://assets.invalid${file}`);
  if (!template.ok) throw new Error(`The asset ${file} is missing: status ${template.status}`);
  // The replacement is a function, because `$` is special in a replacement string.
  const text = (await template.text()).replaceAll(PLACEHOLDER_ORIGIN, () => origin);
  return { text, etag: `"${await createDigest(text)}"` };
}
