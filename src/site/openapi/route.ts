import { Hono } from "hono";
import type { Env } from "../../env.ts";
import { isCurrent } from "../../http/caching.ts";
import { methodNotAllowed } from "../../http/errors.ts";
import { findOrigin } from "../../http/origin.ts";

/** Where the document is. */
export const DOCUMENT_PATH = "/openapi.json";

/** It changes with a deployment only, so minutes are soon enough; then asking again costs a 304. */
const DOCUMENT_CACHING = "public, max-age=300, stale-if-error=86400";

interface WrittenDocument {
  origin: string;
  text: string;
  etag: string;
}

let written: Promise<WrittenDocument> | undefined;

/** The API in OpenAPI 3.1, for people's tools and for the reference. */
export const openapi = new Hono<{ Bindings: Env }>();

openapi.get(DOCUMENT_PATH, async (c) => {
  const { text, etag } = await findDocument(findOrigin(c.req.url, c.env.PUBLIC_ORIGIN));
  const keepable = { ETag: etag, "Cache-Control": DOCUMENT_CACHING };
  if (isCurrent(c.req.header("If-None-Match"), etag)) return c.body(null, 304, keepable);
  return c.body(text, 200, { ...keepable, "Content-Type": "application/json" });
});

openapi.all(DOCUMENT_PATH, (c) => {
  throw methodNotAllowed(c.req.method, "GET, HEAD");
});

/** The document for an origin; that of the last one is kept, as hardly any deployment has two. */
async function findDocument(origin: string): Promise<WrittenDocument> {
  const known = await written?.catch(() => undefined);
  if (known?.origin === origin) return known;
  written = writeDocument(origin);
  return written;
}

async function writeDocument(origin: string): Promise<WrittenDocument> {
  // Here begins what only the document needs, zod first of all: nothing else waits for it when a worker starts.
  const { describeService } = await import("./document.ts");
  const text = JSON.stringify(describeService(origin));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
  return { origin, text, etag: `"${hex.slice(0, 16).join("")}"` };
}
