import { setTimeout } from "node:timers/promises";
import { PAGE_CACHE_CONTROL } from "../../src/http/headers.ts";
import { requireOrigin } from "../../src/http/request.ts";
import { getErrorMessage } from "../../tools/conformance/retrying-client.ts";
import { PATH, type Target } from "../http-suite/exchange.ts";
import { requireDocumented } from "../openapi-check.ts";

/** What is known about a deployment. */
export type Deployment = Pick<Target, "origin" | "count" | "prefer" | "hasFaults">;

/** @param deployment has static files, and records that nobody knows */
export function createLiveTarget(deployment: Deployment): Target {
  return {
    ...deployment,
    hasFiles: true,
    async fetch(target, init) {
      const url = deployment.origin + target;
      const { method = "GET" } = init;
      const headers = new Headers(init.headers);
      const disablesFaults = deployment.prefer !== undefined && !hasOption(target, headers);
      if (disablesFaults) headers.append("Prefer", "none");
      const response = withoutCompressionHeaders(await sendWithRetries(url, { ...init, headers }));
      if (disablesFaults) restoreCacheControl(method, response.headers);
      await requireDocumented({ method, url, headers }, response);
      return response;
    },
  };
}

/** Attempts to send a request while the number of requests is limited. */
const MAX_ATTEMPTS = 6;

/** Sends a request, and waits if the deployment limits the number of requests. Follows no redirect. */
async function sendWithRetries(url: string, init?: RequestInit): Promise<Response> {
  for (let attempts = 1; ; attempts++) {
    const signal = AbortSignal.timeout(30_000);
    const response = await fetch(url, { signal, redirect: "manual", ...init });
    if (response.status !== 429 || attempts === MAX_ATTEMPTS) return response;
    await setTimeout(1_000 * Number(response.headers.get("Retry-After") ?? 10));
  }
}

/**
 * The response as the service sent it: a cache or proxy that compresses it makes the entity-tag weak (RFC 9110, 8.8.1), and
 * adds to `Vary` (12.5.5), in letters of either case.
 */
function withoutCompressionHeaders(response: Response): Response {
  const headers = new Headers(response.headers);
  const etag = headers.get("ETag");
  if (etag !== null) headers.set("ETag", etag.replace(/^W\//, ""));
  const vary = headers.get("Vary")?.split(/\s*,\s*/) ?? [];
  headers.delete("Vary");
  for (const name of vary)
    if (!/^accept-encoding$/i.test(name)) headers.append("Vary", name.replace(/^accept$/i, "Accept"));
  return new Response(response.body, { status: response.status, headers });
}

/** Whether a request has an option of its own, or is not for the collection, whose preferences `none` switches off. */
function hasOption(target: string, headers: Headers): boolean {
  return (
    !target.startsWith(PATH) || target.includes("prefer=") || (headers.get("Prefer")?.includes("=") ?? false)
  );
}

/** A deployment that has preferences lets no cache keep a page, also if `none` switches them off. */
function restoreCacheControl(method: string, headers: Headers): void {
  if (headers.get("Cache-Control") !== "no-cache") return;
  if (method === "OPTIONS") headers.delete("Cache-Control");
  else headers.set("Cache-Control", PAGE_CACHE_CONTROL);
}

/**
 * Finds out what to test, before any request that another service might take for an order.
 * @throws SettingError if the URL is no origin
 * @throws Error if this service does not respond there, or cannot read its collection
 */
export async function findDeployment(baseUrl = ""): Promise<Deployment> {
  requireOrigin("BASE_URL", baseUrl);
  const { origin } = new URL(baseUrl);
  const { info } = await readJson(`${origin}/openapi.json`);
  if (info?.title !== "Traffic Count Records")
    throw new Error(
      `BASE_URL ${origin} is another service: the title of its /openapi.json is ${JSON.stringify(info?.title)}.`,
    );
  const { state, prefer, faults } = await readJson(`${origin}/healthz`);
  return { origin, count: state.count, prefer: prefer ?? undefined, hasFaults: faults };
}

async function readJson(url: string): Promise<ReturnType<JSON["parse"]>> {
  try {
    const response = await sendWithRetries(url);
    if (!response.ok) throw new Error(`the status is ${response.status}`);
    return await response.json();
  } catch (cause) {
    throw new Error(`${url} could not be read: ${getErrorMessage(cause)}`, { cause });
  }
}
