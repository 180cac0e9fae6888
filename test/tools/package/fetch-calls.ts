import { isDeepStrictEqual } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Service } from "../../../tools/package/index.d.ts";

// Calls of `fetch` that must have the same results with a service as with the global `fetch`. They run without Vitest, in any
// version of Node that the package supports.

/**
 * @param fetch The global `fetch` or the service's `fetch`
 * @param url The URL of the collection
 */
type Call = (fetch: typeof globalThis.fetch, url: string, origin: string) => unknown;

/** Headers that depend on the connection or the time. */
const IGNORED_HEADERS = ["connection", "date", "keep-alive", "transfer-encoding"];

/** The response before its body is read. */
const getMetadata = (response: Response, origin: string) => ({
  url: response.url.replace(origin, ""),
  status: [response.status, response.statusText, response.ok],
  kind: [response.type, response.redirected],
  body: [response.body !== null, response.bodyUsed],
  headers: [...response.headers].filter(([name]) => !IGNORED_HEADERS.includes(name)),
});

const readResponse = async (response: Response, origin: string) => ({
  ...getMetadata(response, origin),
  text: await response.text(),
});

/** Returns the result of an action, or a description of its error. */
const getOutcome = async (action: () => unknown): Promise<unknown> => {
  try {
    return await action();
  } catch (error) {
    const { name, message, cause } = Object(error);
    if (!(error instanceof Error)) return { thrown: error };
    // Messages without a cause differ between versions of Node.
    return { thrown: [error.constructor.name, name, cause?.code && [cause.code, message]] };
  }
};

const PATH = "/api/tf1/records/";
const MOVED = "/api/tf1/records";

/** Reads the response to a request for a path. */
const fetchPath =
  (path: string, init?: RequestInit): Call =>
  async (fetch, _, origin) =>
    readResponse(await fetch(origin + path, init), origin);

const getBodyFault = (value: string) => `?prefer=body%3D${value}`;

/** Reads a response after its request was aborted. */
const abortLate =
  (read: (response: Response) => unknown): Call =>
  async (fetch, url) => {
    const controller = new AbortController();
    const response = await fetch(url, { signal: controller.signal });
    controller.abort();
    return [response.status, await getOutcome(() => read(response)), response.bodyUsed];
  };

/** Aborts a request while its body is read. */
const abortSlowBody =
  (reason?: unknown, beforeAbort = () => {}): Call =>
  async (fetch, url) => {
    const controller = new AbortController();
    const { body } = await fetch(url + getBodyFault("slow"), { signal: controller.signal });
    const reader = body?.getReader();
    await reader?.read();
    beforeAbort();
    controller.abort(reason);
    return reader?.read();
  };

const collectGarbage = () => {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
};

const CALLS: Record<string, Call> = {
  "a page": fetchPath(`${PATH}?page=2`),
  "a fragment": fetchPath(`${PATH}?page=2#newest`),
  "a Request and options": async (fetch, url, origin) =>
    readResponse(await fetch(new Request(url), { headers: { Prefer: "code=429" } }), origin),
  HEAD: fetchPath(PATH, { method: "HEAD" }),
  "a preflight": fetchPath(PATH, { method: "OPTIONS", headers: { "Access-Control-Request-Method": "GET" } }),
  "304": async (fetch, url, origin) => {
    const { headers } = await fetch(url);
    const init = { headers: { "If-None-Match": headers.get("ETag") ?? "" } };
    return [await fetch(url, init), await fetch(origin + MOVED, init)].map((one) => getMetadata(one, origin));
  },
  "a closed connection": fetchPath(`${PATH}?prefer=close`),
  ...Object.fromEntries(
    ["cut", "slow", "garbage", "empty"].flatMap((fault) =>
      ["GET", "HEAD"].map((method): [string, Call] => [
        `${method} with body=${fault}`,
        async (fetch, url, origin) => {
          const response = await fetch(`${url}${getBodyFault(fault)},delay%3D300`, { method });
          return [getMetadata(response, origin), await getOutcome(() => response.text())];
        },
      ]),
    ),
  ),
  "a cut body that is cancelled": async (fetch, url) =>
    (await fetch(url + getBodyFault("cut"))).body?.cancel(),
  "headers that are changed": async (fetch, url) => {
    const response = await fetch(url);
    const changes = [
      () => response.headers.append("x", "y"),
      () => response.clone().headers.set("x", "y"),
      () => response.clone().clone().headers.delete("etag"),
      () => new Response(null, response).headers.set("x", "y"),
    ];
    return [await Promise.all(changes.map(getOutcome)), response.headers.has("etag")];
  },

  "a redirect": fetchPath(`${MOVED}?page=2`),
  "a redirect that is not followed": fetchPath(`${MOVED}?page=2`, { redirect: "manual" }),
  "a redirect that is an error": fetchPath(`${MOVED}?page=2`, { redirect: "error" }),
  "a redirect of POST": fetchPath(MOVED, { method: "POST", body: "{}" }),
  "a redirect with a fragment": fetchPath(`${MOVED}#newest`),
  "a redirect to a fragment": fetchPath("/go?date=2019-05-17"),

  "a clone": async (fetch, url, origin) => {
    const response = await fetch(`${url}?page=2`);
    const clone = response.clone();
    return [
      await readResponse(clone, origin),
      await readResponse(response, origin),
      clone instanceof Response,
    ];
  },
  "a clone of a redirected response, and its clone": async (fetch, _, origin) => {
    const clone = (await fetch(origin + MOVED)).clone();
    return [getMetadata(clone, origin), await readResponse(clone.clone(), origin)];
  },

  "an abort before the call": (fetch, url) => fetch(url, { signal: AbortSignal.abort() }),
  "an abort during a wait": (fetch, url) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort("reason"), 50);
    return fetch(`${url}?prefer=hang`, { signal: controller.signal });
  },
  "a timeout after a redirect": (fetch, _, origin) =>
    fetch(`${origin + MOVED}?prefer=on%3D1,hang`, { signal: AbortSignal.timeout(50) }),
  "an abort after the response": abortLate((response) => response.text()),
  "a clone, read after an abort": abortLate((response) => response.clone().text()),
  "an abort while a body is read": abortSlowBody(new RangeError("reason")),
  "an abort after a garbage collection": abortSlowBody(undefined, collectGarbage),
  "an abort after the body": async (fetch, url) => {
    const controller = new AbortController();
    const response = await fetch(`${url}?page=2`, { signal: controller.signal });
    const text = await response.text();
    controller.abort();
    return [text, response.bodyUsed];
  },
};

/** Lists the calls whose results differ between the service's `fetch` and the global `fetch`, with both results. */
export async function listDifferences({ fetch, listen }: Service) {
  const { url: origin, close } = await listen({ port: 0 });
  const run = (call: Call, fetch: typeof globalThis.fetch) =>
    getOutcome(async () => {
      const result = await call(fetch, origin + PATH, origin);
      return result instanceof Response ? getMetadata(result, origin) : result;
    });
  const results = Object.entries(CALLS).map(async ([name, call]) => {
    const expected = await run(call, globalThis.fetch);
    const actual = await run(call, fetch);
    return isDeepStrictEqual(actual, expected) ? [] : [{ name, actual, expected }];
  });
  return (await Promise.all(results).finally(close)).flat();
}
