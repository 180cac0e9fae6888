import ky, { HTTPError } from "ky";
import { PATH, type Target } from "../http-suite/exchange.ts";
import { checkDocumented } from "../openapi-check.ts";

/** `BASE_URL` is missing or is not an origin. */
export class UsageError extends Error {}

/** Requests that a test sends, in the spelling of ky. */
const METHODS = ["get", "head", "options", "post", "put", "patch", "delete"];

/** Sends a request, and waits if the deployment limits the number of requests. Everything else is tried once. */
const client = ky.create({
  redirect: "manual",
  timeout: 30_000,
  throwHttpErrors: (status) => status === 429,
  retry: {
    limit: 5,
    methods: METHODS as "get"[],
    statusCodes: [429],
    afterStatusCodes: [429],
    // A limit is over after a minute.
    maxRetryAfter: 90_000,
    delay: () => 10_000,
    shouldRetry: ({ error }) => (error instanceof HTTPError ? undefined : false),
  },
});

/** What is known about a deployment. */
export type Deployment = Pick<Target, "origin" | "count" | "prefer" | "hasFaults">;

/** The `Cache-Control` of a page, which a deployment that has preferences does not send. */
const PAGE_CACHING = "public, max-age=5, stale-if-error=3600";

/** @param deployment has static files, and records that nobody knows */
export function createLiveTarget(deployment: Deployment): Target {
  return {
    ...deployment,
    hasFiles: true,
    async fetch(target, init) {
      const url = deployment.origin + target;
      const { method = "GET" } = init;
      const headers = new Headers(init.headers);
      const isUnchanged = deployment.prefer !== undefined && !hasOption(target, headers);
      if (isUnchanged) headers.append("Prefer", "none");
      const response = undoCompression(await client(url, { ...init, headers }));
      if (isUnchanged) undoPreferences(method, response.headers);
      await checkDocumented({ method, url, headers }, response);
      return response;
    },
  };
}

/**
 * The response as the service sent it: a cache or proxy that compresses it makes the entity-tag weak (RFC 9110, 8.8.1), and
 * adds to `Vary` (12.5.5), in letters of either case.
 */
function undoCompression(response: Response): Response {
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

/** A deployment that has preferences lets no cache keep a response, also if `none` switches them off. */
function undoPreferences(method: string, headers: Headers): void {
  if (headers.get("Cache-Control") !== "no-cache") return;
  if (method === "OPTIONS") headers.delete("Cache-Control");
  else headers.set("Cache-Control", PAGE_CACHING);
}

/**
 * Finds out what to test, before any request that another service might take for an order.
 * @throws UsageError if the URL is no origin
 * @throws Error if this service does not respond there, or cannot read its collection
 */
export async function findDeployment(baseUrl: string | undefined): Promise<Deployment> {
  const origin = parseOrigin(baseUrl);
  const title = await read(`${origin}/openapi.json`, ({ info }) => info.title);
  if (title !== "Traffic Count Records")
    throw new Error(
      `BASE_URL ${origin} is another service: the title of its /openapi.json is ${JSON.stringify(title)}.`,
    );
  return read(`${origin}/healthz`, ({ state, prefer, faults }) => ({
    origin,
    count: state.count,
    prefer: prefer ?? undefined,
    hasFaults: faults,
  }));
}

function parseOrigin(text = ""): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  const problem =
    text === ""
      ? "npm run test:live needs a deployment to test"
      : `BASE_URL is ${JSON.stringify(text)}; it must be an address without a path`;
  throw new UsageError(`${problem}: BASE_URL=https://counts.example npm run test:live`);
}

async function read<T>(url: string, find: (body: ReturnType<JSON["parse"]>) => T): Promise<T> {
  try {
    return find(await client(url, { throwHttpErrors: true }).json());
  } catch (cause) {
    throw new Error(`${url} could not be read: ${findReason(cause as Error)}`, { cause });
  }
}

/** The message behind the "fetch failed" that fetch throws. */
function findReason({ cause, message, ...error }: Error & { code?: string }): string {
  return cause instanceof Error ? findReason(cause) : message || String(error.code);
}
