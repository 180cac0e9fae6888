import { setTimeout } from "node:timers/promises";
import { PAGE_CACHE_CONTROL } from "../../src/http/headers.ts";
import { requireOrigin } from "../../src/http/request.ts";
import { getErrorMessage } from "../../tools/command-line/requests.ts";
import { PATH, type Target } from "../http-suite/exchange.ts";
import { requireDocumented } from "../openapi-check.ts";

/** A deployment and its settings. */
export type Deployment = Pick<Target, "origin" | "count" | "prefer" | "hasFaults">;

/** Creates a target with static files and unknown records. */
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
      const response = removeCompressionHeaders(await sendWithRetries(url, { ...init, headers }));
      if (disablesFaults) restoreCacheControl(method, response.headers);
      await requireDocumented({ method, url, headers }, response);
      return response;
    },
  };
}

/** Max number of attempts for a request that gets 429. */
const MAX_ATTEMPTS = 6;

/** Sends a request, and retries after 429. Follows no redirect. */
async function sendWithRetries(url: string, init?: RequestInit): Promise<Response> {
  for (let attempts = 1; ; attempts++) {
    const signal = AbortSignal.timeout(30_000);
    const response = await fetch(url, { signal, redirect: "manual", ...init });
    if (response.status !== 429 || attempts === MAX_ATTEMPTS) return response;
    await setTimeout(1_000 * Number(response.headers.get("Retry-After") ?? 10));
  }
}

/** Undoes the changes of a proxy that compresses a response: a weak entity-tag, and `Vary` in lower case with one more name. */
function removeCompressionHeaders(response: Response): Response {
  const headers = new Headers(response.headers);
  const etag = headers.get("ETag");
  if (etag !== null) headers.set("ETag", etag.replace(/^W\//, ""));
  const vary = headers.get("Vary")?.split(/\s*,\s*/) ?? [];
  headers.delete("Vary");
  for (const name of vary)
    if (!/^accept-encoding$/i.test(name)) headers.append("Vary", name.replace(/^accept$/i, "Accept"));
  return new Response(response.body, { status: response.status, headers });
}

/** Whether a request has its own options, or is not for the collection. */
function hasOption(target: string, headers: Headers): boolean {
  return (
    !target.startsWith(PATH) || target.includes("prefer=") || (headers.get("Prefer")?.includes("=") ?? false)
  );
}

/** Undoes the change of `Cache-Control` in a deployment with default options, which `none` does not undo. */
function restoreCacheControl(method: string, headers: Headers): void {
  if (headers.get("Cache-Control") !== "no-cache") return;
  if (method === "OPTIONS") headers.delete("Cache-Control");
  else headers.set("Cache-Control", PAGE_CACHE_CONTROL);
}

/**
 * Reads the settings of a deployment. Sends only two GET requests, because the URL could belong to a different service.
 * @throws SettingError if the URL is not an origin
 * @throws Error if the service does not respond, or cannot read its collection
 */
export async function readDeployment(baseUrl = ""): Promise<Deployment> {
  requireOrigin("BASE_URL", baseUrl);
  const { origin } = new URL(baseUrl);
  const { info } = await readJson(`${origin}/openapi.json`);
  if (info?.title !== "Traffic Count Records")
    throw new Error(
      `BASE_URL ${origin} is another service: the title of its /openapi.json is ${JSON.stringify(info?.title)}.`,
    );
  const { snapshot, prefer, faults } = await readJson(`${origin}/healthz`);
  return { origin, count: snapshot.count, prefer: prefer ?? undefined, hasFaults: faults };
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
