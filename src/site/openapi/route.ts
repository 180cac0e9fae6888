import { Hono } from "hono";
import type { Env } from "../../env.ts";
import { methodNotAllowed } from "../../http/errors.ts";
import { isCurrent } from "../../http/headers.ts";
import { findOrigin } from "../../http/request.ts";
import { DOCUMENT_PATH } from "../about.ts";

/** The document changes only with a deployment, so caches keep it for minutes; after that a copy costs only a 304. */
const DOCUMENT_CACHING = "public, max-age=300, stale-if-error=86400";

interface WrittenDocument {
  origin: string;
  text: string;
  etag: string;
}

let latest: Promise<WrittenDocument> | undefined;

/** The API as an OpenAPI 3.1 document, for client generators and for the API reference. */
export const openapi = new Hono<{ Bindings: Env }>();

openapi.get(DOCUMENT_PATH, async (c) => {
  const { text, etag } = await findDocument(findOrigin(c.req.url, c.env.PUBLIC_ORIGIN));
  const headers = { ETag: etag, "Cache-Control": DOCUMENT_CACHING };
  if (isCurrent(c.req.header("If-None-Match"), etag)) return c.body(null, 304, headers);
  return c.body(text, 200, { ...headers, "Content-Type": "application/json" });
});

openapi.all(DOCUMENT_PATH, (c) => {
  throw methodNotAllowed(c.req.method, "GET, HEAD");
});

/** The document for an origin. Only the latest one is kept, because most deployments have one origin. */
async function findDocument(origin: string): Promise<WrittenDocument> {
  const known = await latest?.catch(() => undefined);
  if (known?.origin === origin) return known;
  latest = writeDocument(origin);
  return latest;
}

async function writeDocument(origin: string): Promise<WrittenDocument> {
  // Imported on the first use, because only the document needs zod, and loading it would delay the start of a worker.
  const { describeService } = await import("./document.ts");
  const text = JSON.stringify(describeService(origin));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
  return { origin, text, etag: `"${hex.slice(0, 16).join("")}"` };
}
